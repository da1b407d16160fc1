// The parts of the page that need no browser.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

const source = path.join(path.dirname(fileURLToPath(import.meta.url)), '../src');
let folder;
let m;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'plumb-units-'));
  const names = ['data', 'poses', 'format', 'extent', 'clock', 'audit'];
  const entry = path.join(folder, 'all.ts');
  await writeFile(entry, names.map((n) => `export * from ${JSON.stringify(path.join(source, n))};`).join('\n'));
  const outfile = path.join(folder, 'all.mjs');
  await build({ entryPoints: [entry], bundle: true, format: 'esm', outfile, logLevel: 'error' });
  m = await import(pathToFileURL(outfile).href);
});
after(() => rm(folder, { recursive: true }));

// Packs as plumb/report/packed_columns.cpp does.
function pack(columns) {
  const bytes = [];
  for (const c of columns) {
    const raw = new Uint8Array(Float64Array.from(c).buffer);
    for (let byte = 0; byte < 8; ++byte) for (let r = 0; r < c.length; ++r) bytes.push(raw[8 * r + byte]);
  }
  return Uint8Array.from(bytes);
}
const named = (...names) => names.map((name) => ({ name, unit: '', min: null, max: null }));

test('columns come back bit for bit', () => {
  const columns = [[0, 0.1, 0.2], [Math.PI, -1e-300, Number.MAX_VALUE], [NaN, -0, 5e-324]];
  const back = m.unpack(pack(columns), 3, named('t', 'a', 'b'));
  columns.forEach((c, i) => assert.deepEqual(Array.from(back[i]), c));
  const constant = m.unpack(new Uint8Array(), 3, [{ ...named('k')[0], constant: 7.5 }]);
  assert.deepEqual(Array.from(constant[0]), [7.5, 7.5, 7.5]);
});

test('the row at a time is the last one not after it', () => {
  const table = new m.Table(named('t'), [Float64Array.from([0, 1, 2.5, 4])]);
  assert.deepEqual([-1, 0, 0.99, 1, 2.4999, 2.5, 3, 4, 9].map((t) => table.rowAt(t)), [0, 0, 0, 1, 1, 2, 2, 3, 3]);
});

test('csv holds every digit and leaves out tracks', () => {
  const table = new m.Table([...named('t', 'a.x'), ...named('')], [Float64Array.of(0.1), Float64Array.of(1 / 3), Float64Array.of(9)]);
  assert.equal(table.csv(), `t,a.x\n0.1,${1 / 3}\n`);
});

test('rotation and slerp', () => {
  const half = Math.SQRT1_2;
  const quarter = [half, 0, 0, half]; // 90 degrees about z
  m.rotate(quarter, [1, 0, 0]).forEach((v, i) => assert.ok(Math.abs(v - [0, 1, 0][i]) < 1e-15));
  const eighth = m.slerp([1, 0, 0, 0], quarter, 0.5);
  assert.ok(Math.abs(eighth[0] - Math.cos(Math.PI / 8)) < 1e-15);
  // -q is the same attitude: no detour of almost a whole turn.
  const other = m.slerp([1, 0, 0, 0], quarter.map((v) => -v), 0.5);
  assert.ok(Math.abs(Math.abs(other[0]) - Math.cos(Math.PI / 8)) < 1e-15);
});

function pendulumScene() {
  return {
    gravity: [0, 0, -9.81],
    bodies: [{ name: 'bob', mass: 1, shape: { type: 'point' } }],
    joints: [{ name: 'rod', type: 'rod', from: { body: -1, at: [0, 0, 0] }, to: { body: 0, at: [0, 0, 0] } }],
    springs: [],
    surfaces: [],
  };
}

test('positions are interpolated and the ends follow', () => {
  const table = new m.Table(named('t', 'bob.x', 'bob.y', 'bob.z'), [[0, 1], [0, 2], [0, 0], [-1, -3]].map((c) => Float64Array.from(c)));
  const poses = new m.Poses(pendulumScene(), table);
  assert.deepEqual(poses.position(0, 0.25), [0.5, 0, -1.5]);
  assert.deepEqual(poses.endPoint({ body: 0, at: [5, 5, 5] }, 1), [7, 5, 2]);
  assert.deepEqual(poses.endPoint({ body: -1, at: [1, 2, 3] }, 0), [1, 2, 3]);
});

test('a plane motion is seen from the front, x to the right', () => {
  const table = new m.Table(named('t', 'bob.x', 'bob.y', 'bob.z'), [[0, 1], [-1, 1], [0, 0], [-1, 0]].map((c) => Float64Array.from(c)));
  const e = m.extent(new m.Poses(pendulumScene(), table));
  assert.ok(e.toCamera[1] < -0.9);
  assert.ok(m.dot(e.right, [1, 0, 0]) > 0.99);
  assert.deepEqual(e.low, [-1, 0, -1]);
  assert.deepEqual(e.high, [1, 0, 0]);
});

test('numbers read well', () => {
  assert.equal(m.number(0), '0');
  assert.equal(m.number(-1.5), '−1.5');
  assert.equal(m.number(2.29e-10, 3), '2.29e−10');
  assert.equal(m.number(1234567, 3), '1.23e6');
  assert.equal(m.number(null), '–');
  assert.equal(m.tick(0.75, 0.25), '0.75');
  assert.equal(m.tick(3, 1), '3');
  assert.equal(m.clockTime(1.23456, 2.5), '1.235 s');
});

test('the audit calls a large drift poor and a small one good', () => {
  const table = new m.Table([{ name: 't', unit: 's', min: 0, max: 1 }, { name: 'energy.kinetic', unit: 'J', min: 0, max: 10 }], [Float64Array.of(0), Float64Array.of(0)]);
  const summary = { outcome: 'completed', time: 1, energy: { initial: 1, final: 1, max_drift: 1e-9, work: 0, dissipated: 0 }, violation: { position: 1e-15, velocity: 1e-15 } };
  const verdict = (s, name) => m.findings(s, table).find((f) => f.name === name).verdict;
  assert.equal(verdict(summary, 'energy drift'), 'good');
  assert.equal(verdict({ ...summary, energy: { ...summary.energy, max_drift: 1 } }, 'energy drift'), 'poor');
  assert.equal(verdict({ ...summary, violation: { position: 0.1, velocity: 0 } }, 'joints, position'), 'poor');
  assert.equal(verdict({ ...summary, partial: true, outcome: 'singular', reason: 'x' }, 'outcome'), 'poor');
});

test('the audit begins with the verdict of the run and shows how deep bodies overlap', () => {
  const table = new m.Table([{ name: 't', unit: 's', min: 0, max: 1 }, { name: 'energy.kinetic', unit: 'J', min: 0, max: 10 }], [Float64Array.of(0), Float64Array.of(0)]);
  const summary = { outcome: 'completed', time: 1, verdict: { grade: 'look', reasons: ['bodies overlap'] }, penetration: 2e-3, penetration_at: { what: "'a' and 'b'", time: 0.5 } };
  const found = m.findings(summary, table);
  assert.equal(found[0].value, 'look');
  assert.equal(found[0].verdict, 'fair');
  assert.match(found[0].words, /bodies overlap/);
  const deep = found.find((f) => f.name === 'penetration');
  assert.equal(deep.verdict, 'poor');
  assert.match(deep.words, /'a' and 'b' at 0.5 s/);
  assert.ok(!m.findings({ ...summary, penetration: undefined }, table).some((f) => f.name === 'penetration'));
});

test('the audit of equations judges the energy by its own size and speaks of constraints', () => {
  const table = new m.Table([{ name: 't', unit: 's', min: 0, max: 1 }, { name: 'energy', unit: '', min: -0.05, max: 0 }], [Float64Array.of(0), Float64Array.of(0)]);
  const summary = { outcome: 'completed', time: 1, energy: { initial: 0, final: -0.05, max_drift: 0.05, work: 0, dissipated: 0 }, violation: { position: 1e-3, velocity: 1e-3 } };
  const found = m.findings(summary, table);
  assert.equal(found.find((f) => f.name === 'energy drift').verdict, 'poor');
  assert.equal(found.find((f) => f.name === 'constraints').verdict, 'poor');
  assert.ok(!found.some((f) => /joint/.test(f.words)));
});

test('the clock stays within the run and stops at its end', () => {
  globalThis.requestAnimationFrame = () => 0;
  const clock = new m.Clock(0, 2);
  let told = 0;
  clock.listen(() => ++told);
  clock.seek(5);
  assert.equal(clock.time, 2);
  clock.toggle(); // from the end: begins again
  assert.equal(clock.time, 0);
  assert.ok(clock.playing);
  assert.equal(told, 2);
});
