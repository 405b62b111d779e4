// The bodies of a run: one InstancedMesh per kind of shape.

import * as THREE from "three";
import type { Run } from "./data";
import { makeSolid, planarTurn, type Solid } from "./shapes";
import { bodyColors } from "./theme";

interface Instance {
  body: number;
  local: THREE.Matrix4; // shape in body, with its scale
}

interface Batch {
  mesh: THREE.InstancedMesh;
  instances: Instance[];
}

// Lines of constant width along the borders of each face, by the texture coordinates.
function addEdges(material: THREE.MeshStandardMaterial): void {
  material.defines = { ...material.defines, USE_UV: "" };
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <color_fragment>",
      `#include <color_fragment>
       vec2 fromEdge = min(vUv, 1.0 - vUv) / max(fwidth(vUv), vec2(1e-6));
       float onFace = smoothstep(0.4, 1.6, min(fromEdge.x, fromEdge.y));
       diffuseColor.rgb *= mix(0.55, 1.0, onFace);`,
    );
  };
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly radii: number[]; // of a ball around each body's origin that holds it; 0 without shapes
  readonly balls: { center: number[]; radius: number }[][]; // around the shapes of each body, in its frame
  private batches: Batch[] = [];
  private poses: Float64Array;
  private colors: THREE.Color[];
  private selected = -1;
  private markers: Instance[] = [];

  constructor(private run: Run) {
    const scene = run.scene;
    this.poses = new Float64Array(7 * scene.bodies.length);
    this.radii = scene.bodies.map(() => 0);
    this.balls = scene.bodies.map(() => []);
    this.colors = scene.bodies.map((_, b) => this.colorOf(b));
    const kinds = new Map<string, { solid: Solid; instances: Instance[] }>();
    const turn = planarTurn(scene.plane_normal);
    scene.bodies.forEach((body, b) =>
      body.shapes.forEach((shape) => {
        const solid = makeSolid(shape);
        if (!solid) return;
        const p = shape.pose;
        const rotation = new THREE.Quaternion(p[4], p[5], p[6], p[3]);
        if (shape.type === "disk" || shape.type === "polygon") rotation.multiply(turn);
        const local = new THREE.Matrix4().compose(new THREE.Vector3(p[0], p[1], p[2]), rotation, solid.scale);
        this.radii[b] = Math.max(this.radii[b], Math.hypot(p[0], p[1], p[2]) + solid.radius);
        this.balls[b].push({ center: p.slice(0, 3), radius: solid.radius });
        const kind = kinds.get(solid.key) ?? { solid, instances: [] };
        kind.instances.push({ body: b, local });
        kinds.set(solid.key, kind);
      }),
    );
    // a body without extent is a small ball, as large as setMarkerSize() says
    const markers = scene.bodies.flatMap((_, b) => (b > 0 && this.radii[b] === 0 ? [{ body: b, local: new THREE.Matrix4() }] : []));
    for (const { solid, instances } of kinds.values()) this.addBatch(solid, instances);
    if (markers.length === 0) return;
    this.addBatch(makeSolid({ type: "sphere", radius: 1, pose: [] })!, markers);
    this.markers = markers;
  }

  setMarkerSize(radius: number): void {
    for (const marker of this.markers) marker.local.makeScale(radius, radius, radius);
  }

  private colorOf(body: number): THREE.Color {
    if (body === 0) return new THREE.Color("#aab4bf");
    const color = new THREE.Color(bodyColors[(body - 1) % bodyColors.length]);
    // many bodies: neighbours differ a little more than the palette allows
    const shift = (((body * 37) % 11) / 11 - 0.5) * (this.run.scene.bodies.length > bodyColors.length ? 0.1 : 0);
    return color.offsetHSL(0, 0, shift);
  }

  private addBatch(solid: Solid, instances: Instance[]): void {
    const geometry = solid.geometry(instances.length);
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.62,
      metalness: 0.02,
      vertexColors: geometry.hasAttribute("color"),
      side: solid.key.startsWith("mesh") || solid.key.startsWith("field") ? THREE.DoubleSide : THREE.FrontSide,
    });
    if (solid.hasEdges) addEdges(material);
    const mesh = new THREE.InstancedMesh(geometry, material, instances.length);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    instances.forEach((instance, i) => mesh.setColorAt(i, this.colors[instance.body]));
    this.group.add(mesh);
    this.batches.push({ mesh, instances });
  }

  /** Places all bodies at frame + part of the way to the next. */
  place(frame: number, part: number): void {
    const count = this.run.scene.bodies.length;
    const [now, next] = [new Float64Array(7), new Float64Array(7)];
    const [q0, q1] = [new THREE.Quaternion(), new THREE.Quaternion()];
    const matrices: THREE.Matrix4[] = new Array(count);
    const [position, unit] = [new THREE.Vector3(), new THREE.Vector3(1, 1, 1)];
    for (let b = 0; b < count; b++) {
      this.run.pose(frame, b, now);
      q0.set(now[3], now[4], now[5], now[6]).normalize();
      if (part > 0 && frame + 1 < this.run.frames) {
        this.run.pose(frame + 1, b, next);
        for (let k = 0; k < 3; k++) now[k] += part * (next[k] - now[k]);
        q0.slerp(q1.set(next[3], next[4], next[5], next[6]).normalize(), part);
      }
      this.poses.set(now.subarray(0, 3), 7 * b);
      this.poses.set([q0.x, q0.y, q0.z, q0.w], 7 * b + 3);
      matrices[b] = new THREE.Matrix4().compose(position.set(now[0], now[1], now[2]), q0, unit);
    }
    const product = new THREE.Matrix4();
    for (const { mesh, instances } of this.batches) {
      instances.forEach(({ body, local }, i) => mesh.setMatrixAt(i, product.multiplyMatrices(matrices[body], local)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // rays ask for it
    }
  }

  /** Where a body's origin is on the screen's frame. */
  position(body: number): THREE.Vector3 {
    return new THREE.Vector3(this.poses[7 * body], this.poses[7 * body + 1], this.poses[7 * body + 2]);
  }

  /** A point that is fixed in a body, in the world. */
  pointOf(body: number, local: number[]): THREE.Vector3 {
    const p = this.poses.subarray(7 * body, 7 * body + 7);
    return new THREE.Vector3(local[0], local[1], local[2])
      .applyQuaternion(new THREE.Quaternion(p[3], p[4], p[5], p[6]))
      .add(new THREE.Vector3(p[0], p[1], p[2]));
  }

  /** The body that a ray meets first, −1 for none; the world's shapes are in the way but not chosen. */
  pick(ray: THREE.Raycaster): number {
    const hits = ray.intersectObjects(this.group.children, false);
    for (const hit of hits) {
      const batch = this.batches.find((one) => one.mesh === hit.object);
      if (batch && hit.instanceId !== undefined) return batch.instances[hit.instanceId].body || -1;
    }
    return -1;
  }

  select(body: number): void {
    this.selected = body;
    this.paint();
  }

  private paint(): void {
    const glow = new THREE.Color("#ffd24a");
    for (const { mesh, instances } of this.batches) {
      instances.forEach(({ body }, i) =>
        mesh.setColorAt(i, body === this.selected ? this.colors[body].clone().lerp(glow, 0.65) : this.colors[body]),
      );
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  setTransparent(transparent: boolean): void {
    for (const { mesh } of this.batches) {
      const material = mesh.material as THREE.MeshStandardMaterial;
      material.transparent = transparent;
      material.opacity = transparent ? 0.32 : 1;
      material.depthWrite = !transparent;
      material.needsUpdate = true;
    }
  }
}
