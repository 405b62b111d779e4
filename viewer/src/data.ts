// The runs of a page: what docs/architecture/viewer.md describes, decoded.

import type { Verdict } from "./verdict";

export interface ShapeData {
  name?: string;
  type: string;
  pose: number[]; // x y z w x y z, in the body
  [key: string]: unknown;
}

export interface BodyData {
  name: string;
  mass?: number;
  joint?: string;
  parent?: number;
  shapes: ShapeData[];
}

export interface LineData {
  name: string;
  kind: string;
  a: number;
  b: number;
  point_a: number[];
  point_b: number[];
}

interface ArrayInfo {
  name: string;
  type: "f8" | "f4" | "i4" | "i2" | "u1";
  shape: number[];
}

export interface SceneData {
  name: string;
  description: string;
  label: string;
  formulation: string;
  dt: number;
  until: number;
  gravity: number[];
  plane_normal: number[];
  bodies: BodyData[];
  lines: LineData[];
  motions: { name: string; unit: string }[];
  notes?: string[];
  verdict?: Verdict;
  contact_stride?: number;
  arrays?: ArrayInfo[];
}

type Numbers = Float64Array | Float32Array | Int32Array | Int16Array | Uint8Array;

export const modes = ["open", "sticking", "sliding"] as const;

/** A contact of a frame. Vectors are in the world, the force acts on a, the normal points from b to a. */
export interface Contact {
  key: number;
  a: number;
  b: number;
  mode: number;
  point: number[];
  normal: number[];
  force: number[];
  velocity: number[];
  gap: number;
  mu: number;
}

/** Load and friction of a contact, and how far it is from slipping: 1 without friction, 0 on the cone. */
export function judge(contact: Contact) {
  const [n, f] = [contact.normal, contact.force];
  const normal = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
  const tangent = Math.hypot(f[0] - normal * n[0], f[1] - normal * n[1], f[2] - normal * n[2]);
  const limit = contact.mu * normal;
  const v = contact.velocity;
  const un = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
  const slip = Math.hypot(v[0] - un * n[0], v[1] - un * n[1], v[2] - un * n[2]);
  return { normal, tangent, limit, slip, margin: limit > 0 ? Math.max(0, 1 - tangent / limit) : tangent > 0 ? 0 : 1 };
}

/** Frames in a row, as arrays. A page has one chunk per run, a live run gets one after the other. */
class Chunk {
  readonly arrays = new Map<string, Numbers>();
  readonly frames: number;

  constructor(infos: ArrayInfo[], buffer: ArrayBuffer, readonly contactStride: number) {
    let offset = 0;
    for (const info of infos) {
      offset = Math.ceil(offset / 8) * 8;
      const count = info.shape.reduce((product, extent) => product * extent, 1);
      const width = Number(info.type[1]);
      this.arrays.set(info.name, Chunk.decode(info.type, buffer, offset, count));
      offset += count * width;
    }
    this.frames = this.arrays.get("time")!.length;
  }

  private static decode(type: ArrayInfo["type"], buffer: ArrayBuffer, offset: number, count: number): Numbers {
    if (type === "f8") return new Float64Array(buffer, offset, count);
    if (type === "i4") return new Int32Array(buffer, offset, count);
    if (type === "u1") return new Uint8Array(buffer, offset, count);
    // bytes ordered by their places
    const width = Number(type[1]);
    const from = new Uint8Array(buffer, offset, count * width);
    const to = new Uint8Array(count * width);
    for (let k = 0; k < width; k++) for (let i = 0; i < count; i++) to[i * width + k] = from[k * count + i];
    return type === "f4" ? new Float32Array(to.buffer) : new Int16Array(to.buffer);
  }
}

export class Run {
  private chunks: Chunk[] = [];
  private starts: number[] = []; // first frame of every chunk
  frames = 0;

  constructor(readonly scene: SceneData) {}

  append(infos: ArrayInfo[], buffer: ArrayBuffer): void {
    const chunk = new Chunk(infos, buffer, this.scene.contact_stride ?? 1);
    this.chunks.push(chunk);
    this.starts.push(this.frames);
    this.frames += chunk.frames;
  }

  clear(): void {
    this.chunks = [];
    this.starts = [];
    this.frames = 0;
  }

  private find(frame: number): [Chunk, number] {
    let c = this.chunks.length - 1;
    if (c > 0 && frame < this.starts[c]) {
      let low = 0;
      while (low < c) {
        const middle = (low + c + 1) >> 1;
        if (this.starts[middle] <= frame) low = middle;
        else c = middle - 1;
      }
    }
    return [this.chunks[c], frame - this.starts[c]];
  }

  time(frame: number): number {
    const [chunk, i] = this.find(frame);
    return chunk.arrays.get("time")![i];
  }

  get end(): number {
    return this.frames > 0 ? this.time(this.frames - 1) : 0;
  }

  /** The last frame that is not behind t. */
  frameAt(t: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time(middle) <= t + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Position and rotation (x y z w, as three.js wants it) of a body at a frame. */
  pose(frame: number, body: number, out: Float64Array): void {
    const [chunk, i] = this.find(frame);
    const n = chunk.frames;
    const position = chunk.arrays.get("position")!;
    const rotation = chunk.arrays.get("rotation")!;
    for (let k = 0; k < 3; k++) out[k] = position[(body * 3 + k) * n + i];
    for (let k = 0; k < 4; k++) out[3 + ((k + 3) % 4)] = rotation[(body * 4 + k) * n + i] / 32767;
  }

  velocity(frame: number, body: number): number[] {
    const [chunk, i] = this.find(frame);
    const velocity = chunk.arrays.get("velocity")!;
    return [0, 1, 2, 3, 4, 5].map((k) => velocity[(body * 6 + k) * chunk.frames + i]);
  }

  value(name: string, frame: number): number {
    const [chunk, i] = this.find(frame);
    return chunk.arrays.get(name)?.[i] ?? NaN;
  }

  /** A scalar of all frames. */
  column(name: string): Float64Array {
    const out = new Float64Array(this.frames);
    this.chunks.forEach((chunk, c) => out.set(chunk.arrays.get(name) ?? new Float64Array(chunk.frames).fill(NaN), this.starts[c]));
    return out;
  }

  /** One number of a body over all frames: row of "position" or "velocity". */
  bodyColumn(name: "position" | "velocity", body: number, component: number): Float64Array {
    const width = name === "position" ? 3 : 6;
    const out = new Float64Array(this.frames);
    this.chunks.forEach((chunk, c) => {
      const from = (body * width + component) * chunk.frames;
      out.set(chunk.arrays.get(name)!.subarray(from, from + chunk.frames), this.starts[c]);
    });
    return out;
  }

  private static contactOf(chunk: Chunk, k: number): Contact {
    const three = (name: string) => Array.from(chunk.arrays.get(name)!.subarray(3 * k, 3 * k + 3));
    const bodies = chunk.arrays.get("contact.bodies")!;
    return {
      key: chunk.arrays.get("contact.key")![k],
      a: bodies[2 * k],
      b: bodies[2 * k + 1],
      mode: chunk.arrays.get("contact.mode")![k],
      point: three("contact.point"),
      normal: three("contact.normal"),
      force: three("contact.force"),
      velocity: three("contact.velocity"),
      gap: chunk.arrays.get("contact.gap")![k],
      mu: chunk.arrays.get("contact.mu")![k],
    };
  }

  /** The frame whose contacts are shown at a frame. */
  contactFrame(frame: number): number {
    const [chunk, i] = this.find(frame);
    return frame - (i % chunk.contactStride);
  }

  contacts(frame: number): Contact[] {
    const [chunk, i] = this.find(frame);
    const start = chunk.arrays.get("contact.start")!;
    const f = Math.floor(i / chunk.contactStride);
    const out: Contact[] = [];
    for (let k = start[f]; k < start[f + 1]; k++) out.push(Run.contactOf(chunk, k));
    return out;
  }

  /** A contact over all frames; null where it was not. */
  contactHistory(key: number): (Contact | null)[] {
    const out: (Contact | null)[] = new Array(this.frames).fill(null);
    this.chunks.forEach((chunk, c) => {
      const start = chunk.arrays.get("contact.start")!;
      const keys = chunk.arrays.get("contact.key")!;
      for (let f = 0; f + 1 < start.length; f++)
        for (let k = start[f]; k < start[f + 1]; k++)
          if (keys[k] === key)
            for (let s = 0; s < chunk.contactStride && f * chunk.contactStride + s < chunk.frames; s++)
              out[this.starts[c] + f * chunk.contactStride + s] = Run.contactOf(chunk, k);
    });
    return out;
  }

  /** A force that most contacts of the run stay below, N. */
  typicalForce(): number {
    const sizes: number[] = [];
    for (const chunk of this.chunks) {
      const forces = chunk.arrays.get("contact.force")!;
      const step = Math.max(1, Math.floor(forces.length / 3 / 20000));
      for (let k = 0; 3 * k + 2 < forces.length; k += step) {
        const size = Math.hypot(forces[3 * k], forces[3 * k + 1], forces[3 * k + 2]);
        if (size > 0) sizes.push(size);
      }
    }
    sizes.sort((x, y) => x - y);
    return sizes.length > 0 ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 1;
  }
}

async function inflate(base64: string): Promise<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The runs that are part of the page; none on a live page. */
export async function readRuns(): Promise<Run[]> {
  const text = document.getElementById("rigor-runs")?.textContent;
  if (!text) return [];
  const scenes = JSON.parse(text) as SceneData[];
  return Promise.all(
    scenes.map(async (scene, i) => {
      const run = new Run(scene);
      const element = document.getElementById(`rigor-frames-${i}`)!;
      const buffer = await inflate(element.textContent!.trim());
      element.remove(); // its text is as large as the data
      run.append(scene.arrays!, buffer);
      return run;
    }),
  );
}
