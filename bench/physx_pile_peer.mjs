// PhysX on a pile of spheres or boxes (pile_record.hpp says the format of scene and record): steps, writes the record and
// prints the time per step. From npm, single precision as WebAssembly, one thread.
//
//   node physx_pile_peer.mjs MODULES SCENE RECORD [tgs|pgs] [ITERATIONS]
//
// MODULES is the folder node_modules that holds physx-js-webidl; TGS with 4 position iterations where absent, which is
// PhysX's default count. One velocity iteration, damping and sleeping off.
import fs from 'node:fs';
import path from 'node:path';

const [modules, sceneFile, recordFile, solver = 'tgs', iterations = '4'] = process.argv.slice(2);
if (!recordFile || !['tgs', 'pgs'].includes(solver) || !(Number(iterations) >= 1)) {
  console.error('usage: node physx_pile_peer.mjs MODULES SCENE RECORD [tgs|pgs] [ITERATIONS]');
  process.exit(2);
}

function readScene(file) {
  const text = fs.readFileSync(file, 'utf8');
  const scene = { text, planes: [], spheres: [], judged: [], frames: 0 };
  for (const line of text.split('\n')) {
    const [key, ...words] = line.split('#')[0].trim().split(/\s+/);
    const x = words.map(Number);
    if (key === 'plane') scene.planes.push({ n: x.slice(0, 3), d: x[3] });
    else if (key === 'sphere') {
      const inertia = 0.4 * x[0] * x[1] * x[1];
      const [p, v, w] = [x.slice(2, 5), x.slice(5, 8), x.slice(8, 11)];
      scene.spheres.push({ m: x[0], r: x[1], inertias: [inertia, inertia, inertia], p, v, w, q: [1, 0, 0, 0] });
    } else if (key === 'box') {
      const size = x.slice(1, 4), squares = size.map((s) => s * s), sum = squares[0] + squares[1] + squares[2];
      const [p, v, w, q] = [x.slice(4, 7), x.slice(7, 10), x.slice(10, 13), x.slice(13, 17)];
      scene.spheres.push({ m: x[0], size, inertias: squares.map((s) => (x[0] / 12) * (sum - s)), p, v, w, q });
    }
    else if (key === 'gravity' || key === 'judged') scene[key] = x;
    else scene[key] = x[0];
  }
  return scene;
}

// The package refuses Node, so the process looks like a browser while it loads.
async function loadPhysX() {
  const base = path.join(path.resolve(modules), 'physx-js-webidl', 'physx-js-webidl');
  const wasmBinary = fs.readFileSync(base + '.wasm');
  const load = (await import(base + '.mjs')).default;
  const node = globalThis.process;
  globalThis.window = globalThis;
  globalThis.process = undefined;
  const loading = load({ wasmBinary });
  globalThis.process = node;
  return loading;
}

class PhysXPile {
  constructor(P, scene) {
    this.h = scene.h;
    const top = P.PxTopLevelFunctions.prototype;
    const vector = (x) => new P.PxVec3(x[0], x[1], x[2]);
    const pose = (p, q) => new P.PxTransform(vector(p), new P.PxQuat(q[1], q[2], q[3], q[0]));
    const version = top.PHYSICS_VERSION ?? P.PHYSICS_VERSION;
    const foundation = top.CreateFoundation(version, new P.PxDefaultAllocator(), new P.PxDefaultErrorCallback());
    const scale = new P.PxTolerancesScale();
    const physics = top.CreatePhysics(version, foundation, scale);
    top.InitExtensions(physics);

    const description = new P.PxSceneDesc(scale);
    description.gravity = vector(scene.gravity);
    description.cpuDispatcher = top.DefaultCpuDispatcherCreate(0);
    description.filterShader = top.DefaultFilterShader();
    description.solverType = solver === 'tgs' ? P.PxSolverTypeEnum.eTGS : P.PxSolverTypeEnum.ePGS;
    description.frictionOffsetThreshold = 0.001; // m: friction acts from this gap on
    this.scene = physics.createScene(description);
    const material = physics.createMaterial(scene.mu, scene.mu, 0);
    const flags = new P.PxShapeFlags(P.PxShapeFlagEnum.eSCENE_QUERY_SHAPE | P.PxShapeFlagEnum.eSIMULATION_SHAPE);
    const filter = new P.PxFilterData(1, 1, 0, 0);
    const attach = (actor, geometry) => {
      const shape = physics.createShape(geometry, material, true, flags);
      shape.setSimulationFilterData(filter);
      shape.setContactOffset(0.02); // m: contacts are found from this gap on
      shape.setRestOffset(0);
      actor.attachShape(shape);
      this.scene.addActor(actor);
    };

    for (const { n, d } of scene.planes) {
      // the normal of a plane is its x axis: turn x to n, about z where n = -x
      const w = Math.sqrt(Math.max(0, (1 + n[0]) / 2));
      const q = w > 1e-3 ? [w, 0, -n[2] / (2 * w), n[1] / (2 * w)] : [0, 0, 0, 1];
      attach(physics.createRigidStatic(pose(n.map((x) => x * d), q)), new P.PxPlaneGeometry());
    }
    this.areBoxes = scene.spheres.map(({ size }) => Boolean(size));
    this.bodies = scene.spheres.map(({ m, r, size, inertias, p, v, w, q }) => {
      const body = physics.createRigidDynamic(pose(p, q));
      body.setMass(m);
      body.setMassSpaceInertiaTensor(vector(inertias));
      body.setLinearDamping(0);
      body.setAngularDamping(0);
      body.setSleepThreshold(0);
      body.setStabilizationThreshold(0);
      body.setSolverIterationCounts(Number(iterations), 1);
      attach(body, size ? new P.PxBoxGeometry(...size.map((s) => s / 2)) : new P.PxSphereGeometry(r));
      body.setLinearVelocity(vector(v));
      body.setAngularVelocity(vector(w));
      return body;
    });
  }

  step() {
    this.scene.simulate(this.h);
    this.scene.fetchResults(true);
  }

  // centre, velocity, spin, and of a box how it is turned; each answer is overwritten by the next call
  motions() {
    return this.bodies.map((body, i) => {
      const read = (x) => [x.x, x.y, x.z];
      const turn = ({ w, x, y, z }) => (this.areBoxes[i] ? [w, x, y, z] : []);
      const p = read(body.getGlobalPose().p), q = turn(body.getGlobalPose().q);
      return { p, all: [...p, ...read(body.getLinearVelocity()), ...read(body.getAngularVelocity()), ...q] };
    });
  }
}

const scene = readScene(sceneFile);
const engine = new PhysXPile(await loadPhysX(), scene);
const out = fs.openSync(recordFile, 'w');
fs.writeSync(out, scene.text.trimEnd() + '\n');
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system; // us
};
const us = [];
let spent = 0; // us
for (let k = 1; k <= scene.steps && !(spent >= 1e6 * scene.limit); ++k) {
  const isJudged = scene.judged.includes(k), isFrame = scene.frames > 0 && k % scene.frames === 0;
  const before = isJudged ? engine.motions() : [];
  const begin = cpu();
  engine.step();
  us.push(cpu() - begin);
  spent += us.at(-1);
  const after = isJudged || isFrame ? engine.motions() : [];
  if (isJudged) {
    const lines = before.map(({ all }, i) => [...all, ...after[i].all].join(' '));
    fs.writeSync(out, `step ${(k - 1) * scene.h}\n${lines.join('\n')}\n`);
  }
  if (isFrame) fs.writeSync(out, `frame ${k * scene.h}\n${after.map(({ p }) => p.join(' ')).join('\n')}\n`);
}
fs.closeSync(out);
const median = (x) => [...x].sort((a, b) => a - b)[x.length >> 1];
console.log(JSON.stringify({ engine: 'physx', steps: us.length, us_median: median(us), us_last_quarter: median(us.slice(-Math.ceil(us.length / 4))) }));
process.exit(0);
