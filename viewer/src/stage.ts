// One run in three dimensions: bodies, ground, light, lines, contacts, and a camera that begins where one sees it all.

import * as THREE from "three";
import { Bodies } from "./bodies";
import { Contacts, type ContactOptions } from "./contacts";
import type { LineData, Run } from "./data";
import type { Theme } from "./theme";

export interface View {
  position: THREE.Vector3;
  target: THREE.Vector3;
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly bodies: Bodies;
  readonly contacts: Contacts;
  size = 1; // m, about the extent of what moves
  center = new THREE.Vector3();
  private extent = new THREE.Vector3(1, 1, 1); // of the box around what moves, m
  frame = 0;
  private shown = ""; // which contacts, and how
  private sun = new THREE.DirectionalLight("#fff6ea", 2.2);
  private fill = new THREE.HemisphereLight("#f4f8ff", "#b9bec6", 2.1);
  private grounds: THREE.Mesh[] = [];
  private lines: THREE.LineSegments | null = null;
  private segments: LineData[] = [];

  constructor(readonly run: Run) {
    this.bodies = new Bodies(run);
    if (run.frames > 0) this.measure();
    this.contacts = new Contacts(this.size, this.arrowLength(), run.frames > 0 ? run.typicalForce() : 1);
    this.scene.add(this.bodies.group, this.contacts.group, this.fill, this.sun, this.sun.target);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0004;
    this.addGrounds();
    this.addLines();
    this.aimLight();
  }

  /** The box around what moves, over the whole run: stray bodies that leave it do not count. */
  measure(): void {
    const count = this.run.scene.bodies.length;
    const pose = new Float64Array(7);
    const [turn, at] = [new THREE.Quaternion(), new THREE.Vector3()];
    const values: number[][] = [[], [], []];
    const step = Math.max(1, Math.floor((this.run.frames * count) / 40000));
    for (let b = 1; b < count; b++)
      for (let f = 0; f < this.run.frames; f += step) {
        this.run.pose(f, b, pose);
        turn.set(pose[3], pose[4], pose[5], pose[6]);
        const balls = this.bodies.balls[b];
        for (const { center, radius } of balls.length > 0 ? balls : [{ center: [0, 0, 0], radius: 0 }]) {
          at.set(center[0], center[1], center[2]).applyQuaternion(turn);
          for (let k = 0; k < 3; k++) values[k].push(pose[k] + at.getComponent(k) - radius, pose[k] + at.getComponent(k) + radius);
        }
      }
    if (values[0].length === 0) return;
    const low = new THREE.Vector3();
    const high = new THREE.Vector3();
    values.forEach((list, k) => {
      list.sort((a, b) => a - b);
      low.setComponent(k, list[Math.floor(0.03 * (list.length - 1))]);
      high.setComponent(k, list[Math.ceil(0.97 * (list.length - 1))]);
    });
    this.center = low.clone().add(high).multiplyScalar(0.5);
    this.extent = high.clone().sub(low);
    this.size = Math.max(this.extent.length() / 1.4, 1e-3);
  }

  // Of a typical force, m: about a body, so that those of a pile do not hide it.
  private arrowLength(): number {
    const radii = this.bodies.radii.slice(1).filter((radius) => radius > 0).sort((a, b) => a - b);
    const middle = radii.length > 0 ? radii[radii.length >> 1] : this.size;
    return Math.min(0.26 * this.size, Math.max(0.95 * middle, 0.05 * this.size));
  }

  /** After frames have come in. */
  refit(): void {
    this.measure();
    this.shown = "";
    this.contacts.setScale(this.size, this.arrowLength(), this.run.typicalForce());
    this.aimLight();
  }

  /** From where all that moves is seen, whatever the shape of the window; `fov` in rad, of the height. */
  firstView(aspect: number, fov: number): View {
    const n = this.run.scene.plane_normal;
    const direction = new THREE.Vector3(0.62, -1.15, 0.55);
    if (Math.abs(n[1]) > 0.5) direction.set(0.1, -1, 0.12);
    if (Math.abs(n[0]) > 0.5) direction.set(1, 0.1, 0.12);
    if (Math.abs(n[2]) > 0.5) direction.set(0.02, -0.3, 1);
    direction.normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(direction).normalize();
    const above = direction.clone().cross(right);
    // every corner of the box between the sides of the view: |x| ≤ (distance − depth) tan
    const tan = 0.92 * Math.tan(fov / 2);
    let distance = 0.1 * this.size;
    for (let corner = 0; corner < 8; corner++) {
      const c = new THREE.Vector3(...[0, 1, 2].map((k) => ((corner >> k) & 1 ? 0.5 : -0.5) * this.extent.getComponent(k)));
      const depth = c.dot(direction);
      distance = Math.max(distance, Math.abs(c.dot(right)) / (tan * aspect) + depth, Math.abs(c.dot(above)) / tan + depth);
    }
    return {
      position: this.center.clone().addScaledVector(direction, distance),
      target: this.center.clone(),
    };
  }

  private aimLight(): void {
    const reach = 1.15 * this.size;
    this.sun.position.copy(this.center).add(new THREE.Vector3(-0.95, -0.5, 1.6).multiplyScalar(2 * this.size));
    this.sun.target.position.copy(this.center);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.05 * this.size;
    camera.far = 8 * this.size;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.bodies.setMarkerSize(0.035 * this.size);
    const extent = 400 * this.size;
    for (const ground of this.grounds) ground.scale.set(extent, extent, 1);
  }

  // A half-space is a plane with a grid that fades out. A scene without one gets a plane to look at, below everything.
  private addGrounds(): void {
    const add = (shape: { pose: number[] }) => {
      const material = new THREE.MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
      material.userData = { size: { value: 1 }, center: { value: new THREE.Vector3() }, grid: { value: new THREE.Color() }, far: { value: new THREE.Color() } };
      material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, { gridSize: material.userData.size, gridCenter: material.userData.center, gridColor: material.userData.grid, farColor: material.userData.far });
        shader.vertexShader = shader.vertexShader
          .replace("#include <common>", "#include <common>\nvarying vec3 inGround;\nvarying vec3 inWorld;")
          .replace("#include <begin_vertex>", `#include <begin_vertex>
            vec3 axisX = normalize(modelMatrix[0].xyz); vec3 axisY = normalize(modelMatrix[1].xyz);
            vec4 placed = modelMatrix * vec4(position, 1.0);
            inWorld = placed.xyz;
            inGround = vec3(dot(placed.xyz, axisX), dot(placed.xyz, axisY), 0.0);`);
        shader.fragmentShader = shader.fragmentShader
          .replace("#include <common>", `#include <common>
            varying vec3 inGround; varying vec3 inWorld;
            uniform float gridSize; uniform vec3 gridCenter; uniform vec3 gridColor; uniform vec3 farColor;
            float gridLine(vec2 p, float width) {
              vec2 d = abs(fract(p - 0.5) - 0.5) / max(fwidth(p), vec2(1e-6));
              return 1.0 - smoothstep(width, width + 1.0, min(d.x, d.y));
            }`)
          .replace("#include <color_fragment>", `#include <color_fragment>
            float minor = gridLine(inGround.xy / gridSize, 0.2), major = gridLine(inGround.xy / (5.0 * gridSize), 0.5);
            diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, max(0.45 * minor, 0.9 * major));`)
          .replace("#include <dithering_fragment>", `#include <dithering_fragment>
            float far = smoothstep(9.0, 42.0, distance(inWorld, gridCenter) / gridSize);
            gl_FragColor.rgb = mix(gl_FragColor.rgb, farColor, far);`);
      };
      const ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
      const p = shape.pose;
      ground.position.set(p[0], p[1], p[2]);
      ground.quaternion.set(p[4], p[5], p[6], p[3]);
      ground.receiveShadow = true;
      this.grounds.push(ground);
      this.scene.add(ground);
    };
    const shapes = this.run.scene.bodies[0].shapes;
    shapes.filter((shape) => shape.type === "half-space").forEach(add);
    if (shapes.length === 0) add({ pose: [0, 0, this.center.z - 0.5 * this.extent.z - 0.12 * this.size, 1, 0, 0, 0] });
  }

  // Springs and distances; and for bodies without extent what they are made of: points, and the joint to the parent.
  private addLines(): void {
    const scene = this.run.scene;
    this.segments = [...scene.lines];
    scene.bodies.forEach((body, b) => {
      if (b === 0 || this.bodies.radii[b] > 0) return;
      for (const shape of body.shapes)
        this.segments.push({ name: body.name, kind: "point", a: b, b, point_a: [0, 0, 0], point_b: shape.pose.slice(0, 3) });
      if (body.joint !== "free" && body.joint !== "planar")
        this.segments.push({ name: body.name, kind: "joint", a: b, b: body.parent ?? 0, point_a: [0, 0, 0], point_b: [0, 0, 0] });
    });
    if (this.segments.length === 0) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * this.segments.length), 3));
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: "#b9832b" }));
    this.lines.frustumCulled = false;
    this.scene.add(this.lines);
  }

  setTheme(theme: Theme): void {
    this.scene.background = new THREE.Color(theme.background);
    const isDark = theme.name === "dark";
    this.fill.intensity = isDark ? 1.5 : 2.1;
    this.sun.intensity = isDark ? 2.0 : 2.2;
    for (const ground of this.grounds) {
      const material = ground.material as THREE.MeshStandardMaterial;
      material.color.set(theme.ground);
      material.userData.grid.value.set(theme.grid);
      // the shader works behind the output's conversion: give it what the screen shall have
      material.userData.far.value.setRGB(...toScreen(new THREE.Color(theme.horizon)));
      material.userData.size.value = niceLength(this.size / 6);
      material.userData.center.value.copy(this.center);
    }
  }

  /** What a moment looks like. */
  show(frame: number, part: number, options: ContactOptions, selected: number | null): void {
    this.frame = frame;
    this.bodies.place(frame, part);
    // thousands of contacts are made anew only where they are others
    const shown = [this.run.contactFrame(frame), this.run.frames, options.points, options.forces, options.cones, selected].join(" ");
    if (shown !== this.shown) {
      this.shown = shown;
      this.contacts.show(options.points || options.forces || options.cones || selected !== null ? this.run.contacts(frame) : [], options, selected);
    }
    if (!this.lines) return;
    const position = this.lines.geometry.getAttribute("position") as THREE.BufferAttribute;
    this.segments.forEach((line, i) => {
      const [a, b] = [this.bodies.pointOf(line.a, line.point_a), this.bodies.pointOf(line.b, line.point_b)];
      position.setXYZ(2 * i, a.x, a.y, a.z);
      position.setXYZ(2 * i + 1, b.x, b.y, b.z);
    });
    position.needsUpdate = true;
  }
}

function toScreen(color: THREE.Color): [number, number, number] {
  const screen = { r: 0, g: 0, b: 0 };
  color.getRGB(screen, THREE.SRGBColorSpace);
  return [screen.r, screen.g, screen.b];
}

// 1, 2 or 5 times a power of ten.
function niceLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const lead = length / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
