// Contacts of a frame: points by mode, forces as arrows, friction cones. A cone is as high as the normal force, so
// that the arrow's tip lies on its rim exactly where the contact slides, and inside where it sticks.

import * as THREE from "three";
import { judge, type Contact } from "./data";
import { forceColor, modeColors } from "./theme";

const up = new THREE.Vector3(0, 1, 0);
const capacityStep = 256;

const manyContacts = 500;

// Instances that grow with what is shown; each drawn twice, faintly where a body hides it. Of many, coarser ones.
class Glyphs {
  readonly group = new THREE.Group();
  private meshes: THREE.InstancedMesh[] = [];

  constructor(
    private geometry: (isCoarse: boolean) => THREE.BufferGeometry,
    private materials: THREE.Material[],
    private order: number,
  ) {}

  private reserve(count: number): void {
    if (this.meshes.length > 0 && this.meshes[0].instanceMatrix.count >= count) return;
    for (const mesh of this.meshes) {
      this.group.remove(mesh);
      mesh.dispose();
      mesh.geometry.dispose();
    }
    const geometry = this.geometry(count > manyContacts);
    const capacity = Math.ceil(Math.max(1, count) / capacityStep) * capacityStep;
    this.meshes = this.materials.map((material, i) => {
      const mesh = new THREE.InstancedMesh(geometry, material, capacity);
      mesh.frustumCulled = false;
      mesh.renderOrder = this.order + i;
      mesh.setColorAt(0, new THREE.Color());
      this.group.add(mesh);
      return mesh;
    });
  }

  set(items: { matrix: THREE.Matrix4; color: THREE.Color }[]): void {
    this.reserve(items.length);
    for (const mesh of this.meshes) {
      mesh.count = items.length;
      items.forEach((item, i) => {
        mesh.setMatrixAt(i, item.matrix);
        mesh.setColorAt(i, item.color);
      });
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}

function solidAndFaint(faint: number): THREE.Material[] {
  return [
    new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity: faint }),
    new THREE.MeshLambertMaterial({ emissive: "#ffffff", emissiveIntensity: 0.12 }),
  ];
}

export interface ContactOptions {
  points: boolean;
  forces: boolean;
  cones: boolean;
}

export class Contacts {
  readonly group = new THREE.Group();
  shown: Contact[] = [];
  private points = new Glyphs((coarse) => (coarse ? new THREE.OctahedronGeometry(1, 1) : new THREE.SphereGeometry(1, 16, 12)), solidAndFaint(0.55), 20);
  private shafts = new Glyphs((coarse) => new THREE.CylinderGeometry(1, 1, 1, coarse ? 5 : 12, 1, coarse).translate(0, 0.5, 0), solidAndFaint(0.45), 12);
  private heads = new Glyphs((coarse) => new THREE.ConeGeometry(1, 1, coarse ? 6 : 16).translate(0, 0.5, 0), solidAndFaint(0.45), 12);
  // tip at the origin, opening along y
  private cones = new Glyphs(
    (coarse) => new THREE.ConeGeometry(1, 1, coarse ? 16 : 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
    [
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.2, side: THREE.DoubleSide, depthWrite: false, depthTest: false }),
      new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false }),
    ],
    6,
  );
  private rims = new Glyphs((coarse) => new THREE.TorusGeometry(1, 0.012, coarse ? 3 : 6, coarse ? 16 : 64).rotateX(Math.PI / 2), solidAndFaint(0.6), 8);

  /** `size` of the scene, `length` [m] of an arrow for a force of `force` [N]. */
  constructor(
    private size: number,
    private length: number,
    private force: number,
  ) {
    for (const glyphs of [this.points, this.shafts, this.heads, this.cones, this.rims]) this.group.add(glyphs.group);
  }

  setScale(size: number, length: number, force: number): void {
    this.size = size;
    this.length = length;
    this.force = force;
  }

  show(contacts: Contact[], options: ContactOptions, selected: number | null): void {
    this.shown = contacts;
    const points: { matrix: THREE.Matrix4; color: THREE.Color }[] = [];
    const [shafts, heads, cones, rims] = [[...points], [...points], [...points], [...points]];
    const scale = this.length / this.force;
    const radius = Math.min(0.009 * this.size, 0.065 * this.length);
    for (const contact of contacts) {
      const at = new THREE.Vector3(...(contact.point as [number, number, number]));
      const isSelected = contact.key === selected;
      const color = new THREE.Color(modeColors[contact.mode]);
      if (options.points) {
        const r = radius * (isSelected ? 1.9 : contact.mode === 0 ? 0.7 : 1);
        points.push({ matrix: new THREE.Matrix4().makeScale(r, r, r).setPosition(at), color: isSelected ? new THREE.Color("#ffd24a") : color });
      }
      const force = new THREE.Vector3(...(contact.force as [number, number, number]));
      const length = force.length() * scale;
      const turn = new THREE.Quaternion();
      if ((options.forces || isSelected) && length > 0.2 * radius) {
        turn.setFromUnitVectors(up, force.clone().normalize());
        const thick = (isSelected ? 0.55 : 0.4) * radius;
        const head = Math.min(0.4 * length, 3.4 * radius);
        const tint = new THREE.Color(forceColor);
        shafts.push({ matrix: new THREE.Matrix4().compose(at, turn, new THREE.Vector3(thick, length - head, thick)), color: tint });
        const base = at.clone().addScaledVector(force, (scale * (length - head)) / length);
        heads.push({ matrix: new THREE.Matrix4().compose(base, turn, new THREE.Vector3(0.36 * head, head, 0.36 * head)), color: tint });
      }
      const normal = judge(contact).normal;
      if ((options.cones || isSelected) && normal * scale > 0.5 * radius && contact.mu > 0) {
        turn.setFromUnitVectors(up, new THREE.Vector3(...(contact.normal as [number, number, number])));
        const height = normal * scale;
        const width = contact.mu * height;
        cones.push({ matrix: new THREE.Matrix4().compose(at, turn, new THREE.Vector3(width, height, width)), color });
        const top = at.clone().addScaledVector(new THREE.Vector3(...(contact.normal as [number, number, number])), height);
        rims.push({ matrix: new THREE.Matrix4().compose(top, turn, new THREE.Vector3(width, width, width)), color });
      }
    }
    this.points.set(points);
    this.shafts.set(shafts);
    this.heads.set(heads);
    this.cones.set(cones);
    this.rims.set(rims);
  }

  /** The contact whose point is nearest on the screen to (x, y) in device-independent coordinates, within `reach`. */
  pick(camera: THREE.Camera, x: number, y: number, aspect: number, reach: number): Contact | null {
    let best: Contact | null = null;
    let nearest = reach;
    for (const contact of this.shown) {
      const p = new THREE.Vector3(...(contact.point as [number, number, number])).project(camera);
      const distance = Math.hypot((p.x - x) * aspect, p.y - y);
      if (p.z < 1 && distance < nearest) {
        nearest = distance;
        best = contact;
      }
    }
    return best;
  }
}
