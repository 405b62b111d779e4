// Shapes of bodies as triangles. Those that are scaled copies of each other share one geometry, so that a thousand
// boxes are one call.

import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { ShapeData } from "./data";

export interface Solid {
  key: string; // equal keys share geometry and material
  geometry: (count: number) => THREE.BufferGeometry; // for so many copies: the more there are, the coarser
  scale: THREE.Vector3;
  hasEdges: boolean; // lines along the borders of its texture coordinates
  radius: number; // of a ball around the shape's origin
}

const one = new THREE.Vector3(1, 1, 1);

/** Segments around a round shape of which there are `count`: fewer of many, so that a thousand balls have not a million triangles. */
export function segments(most: number, count: number): number {
  return Math.max(Math.min(most, 12), 4 * Math.round((most / 4) * Math.min(1, Math.sqrt(60 / Math.max(1, count)))));
}

function ball(count: number): THREE.BufferGeometry {
  const around = segments(32, count);
  return shade(new THREE.SphereGeometry(1, around, Math.round(0.75 * around)).rotateX(Math.PI / 2), true);
}

// Darker in every second sector of turns about z and, for balls, in every second half: one sees them roll.
function shade(geometry: THREE.BufferGeometry, byHeight: boolean): THREE.BufferGeometry {
  const flat = geometry.toNonIndexed();
  const position = flat.getAttribute("position");
  const colors = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i += 3) {
    const x = position.getX(i) + position.getX(i + 1) + position.getX(i + 2);
    const y = position.getY(i) + position.getY(i + 1) + position.getY(i + 2);
    const z = position.getZ(i) + position.getZ(i + 1) + position.getZ(i + 2);
    const sector = Math.floor((Math.atan2(y, x) / Math.PI + 1) * 2 + 1e-6) + (byHeight && z > 0 ? 1 : 0);
    colors.fill(sector % 2 === 0 ? 1 : 0.72, 3 * i, 3 * i + 9);
  }
  flat.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  return flat;
}

function hull(points: number[][]): THREE.BufferGeometry {
  return new ConvexGeometry(points.map((p) => new THREE.Vector3(p[0], p[1], p[2])));
}

function mesh(vertices: number[][], triangles: number[][]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices.flat(), 3));
  geometry.setIndex(triangles.flat());
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function heightField(size: number[], heights: number[][]): THREE.BufferGeometry {
  const [rows, columns] = [heights.length, heights[0].length];
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  heights.forEach((row, j) =>
    row.forEach((z, i) => vertices.push([size[0] * (i / (columns - 1) - 0.5), size[1] * (j / (rows - 1) - 0.5), z])),
  );
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < columns; i++) {
      const k = j * columns + i;
      triangles.push([k, k + 1, k + columns + 1], [k, k + columns + 1, k + columns]);
    }
  return mesh(vertices, triangles);
}

// A polygon or disk of a planar scene gets some depth across the plane.
function prism(points: number[][], depth: number): THREE.BufferGeometry {
  return hull(points.flatMap((p) => [[p[0], p[1], -depth / 2], [p[0], p[1], depth / 2]]));
}

const reach = (points: number[][]) => Math.max(...points.map((p) => Math.hypot(...p)));

/** Turns the shape's frame so that its x, y lie in the scene's plane. */
export function planarTurn(normal: number[]): THREE.Quaternion {
  const n = new THREE.Vector3(...(normal as [number, number, number]));
  // xz has its first axis along x and its second along z
  if (Math.abs(n.y) > 0.5) return new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2);
  if (Math.abs(n.x) > 0.5)
    return new THREE.Quaternion().setFromRotationMatrix(
      new THREE.Matrix4().makeBasis(new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1), new THREE.Vector3(1, 0, 0)),
    );
  return new THREE.Quaternion();
}

export function makeSolid(shape: ShapeData): Solid | null {
  const r = (shape.radius as number) ?? 0;
  const length = (shape.length as number) ?? 0;
  switch (shape.type) {
    case "sphere":
      return { key: "sphere", geometry: ball, scale: new THREE.Vector3(r, r, r), hasEdges: false, radius: r };
    case "ellipsoid": {
      const radii = shape.radii as number[];
      return { key: "sphere", geometry: ball, scale: new THREE.Vector3(...(radii as [number, number, number])), hasEdges: false, radius: Math.max(...radii) };
    }
    case "box": {
      const size = shape.size as number[];
      return { key: "box", geometry: () => new THREE.BoxGeometry(1, 1, 1), scale: new THREE.Vector3(...(size as [number, number, number])), hasEdges: true, radius: Math.hypot(...size) / 2 };
    }
    case "cylinder":
      return { key: "cylinder", geometry: (count) => shade(new THREE.CylinderGeometry(1, 1, 1, segments(48, count)).rotateX(Math.PI / 2), false), scale: new THREE.Vector3(r, r, length), hasEdges: false, radius: Math.hypot(r, length / 2) };
    case "cone":
      return { key: "cone", geometry: (count) => shade(new THREE.ConeGeometry(1, 1, segments(48, count)).rotateX(Math.PI / 2), false), scale: new THREE.Vector3(r, r, length), hasEdges: false, radius: Math.hypot(r, length / 2) };
    case "capsule":
      return { key: `capsule ${r} ${length}`, geometry: (count) => new THREE.CapsuleGeometry(r, length, segments(12, count), segments(32, count)).rotateX(Math.PI / 2), scale: one, hasEdges: false, radius: r + length / 2 };
    case "disk":
      return { key: "disk", geometry: (count) => shade(new THREE.CylinderGeometry(1, 1, 1, segments(64, count)).rotateX(Math.PI / 2), false), scale: new THREE.Vector3(r, r, 0.5 * r), hasEdges: false, radius: r };
    case "polygon": {
      const points = shape.points as number[][];
      return { key: `polygon ${JSON.stringify(points)}`, geometry: () => prism(points, 0.3 * reach(points)), scale: one, hasEdges: false, radius: reach(points) };
    }
    case "hull": {
      const points = shape.points as number[][];
      return { key: `hull ${JSON.stringify(points)}`, geometry: () => hull(points), scale: one, hasEdges: false, radius: reach(points) };
    }
    case "mesh": {
      const vertices = shape.vertices as number[][];
      return { key: `mesh ${JSON.stringify([vertices, shape.triangles])}`, geometry: () => mesh(vertices, shape.triangles as number[][]), scale: one, hasEdges: false, radius: reach(vertices) };
    }
    case "height-field": {
      const size = shape.size as number[];
      return { key: `field ${JSON.stringify(shape.heights)}`, geometry: () => heightField(size, shape.heights as number[][]), scale: one, hasEdges: false, radius: Math.hypot(...size) / 2 };
    }
    default:
      return null; // points have no size; a half-space is the ground
  }
}
