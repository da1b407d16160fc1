// Every example runs, behaves as its description says, and shows itself without a fault.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { cleanUp, folder, launch, open, read, run, source } from './browser.mjs';

const examples = readdirSync(path.join(source, 'examples')).filter((f) => f.endsWith('.toml'));
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  cleanUp();
});

class Run {
  constructor(name) {
    this.summary = JSON.parse(read(`${name}/summary.json`));
    const lines = read(`${name}/trajectory.csv`).trimEnd().split('\n');
    this.names = lines[0].split(',');
    this.rows = lines.slice(1).map((l) => l.split(',').map(Number));
  }
  get(channel) {
    const at = this.names.indexOf(channel);
    assert.ok(at >= 0, channel);
    return this.rows.map((r) => r[at]);
  }
  vector(owner, row) {
    return ['x', 'y', 'z'].map((k) => this.rows[row][this.names.indexOf(`${owner}.${k}`)]);
  }
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b}`);
const spread = (v) => Math.max(...v) - Math.min(...v);

// Angular velocity about the body's own z axis.
const spinOf = (r, body) =>
  r.rows.map((row) => {
    const value = (q) => row[r.names.indexOf(`${body}.${q}`)];
    const [w, x, y, z] = ['qw', 'qx', 'qy', 'qz'].map(value);
    const axis = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
    return ['wx', 'wy', 'wz'].reduce((sum, q, k) => sum + axis[k] * value(q), 0);
  });

const behaves = {
  // The plane of the swing turns by -2 pi sin(latitude)/day each second (Foucault), less 3/8 (a/L)² of that: released at
  // rest on turning ground it runs through a narrow ellipse, whose axes turn by themselves (Airy).
  foucault(r) {
    const [x, y] = [r.get('bob.x'), r.get('bob.y')];
    const n = x.length;
    // The direction of the swing: principal axis of the last fifth of the path.
    let [xx, xy, yy] = [0, 0, 0];
    for (let i = Math.floor(0.8 * n); i < n; ++i) [xx, xy, yy] = [xx + x[i] ** 2, xy + x[i] * y[i], yy + y[i] ** 2];
    const turned = 0.5 * Math.atan2(2 * xy, xx - yy);
    const airy = 1 - (3 / 8) * (3 / 10) ** 2;
    let expected = -((2 * Math.PI) / 120) * Math.sin((48.85 * Math.PI) / 180) * 54 * airy;
    while (expected < -Math.PI / 2) expected += Math.PI;
    near(turned, expected, 0.02, 'direction of the swing');
  },
  'driven-pendulum'(r) {
    assert.ok(Math.min(...r.get('bob.z')) > 0.8, 'it stands on its head');
  },
  'double-pendulum'(r) {
    assert.ok(r.summary.energy.max_drift < 1e-9);
    assert.ok(spread(r.get('m2.z')) > 3);
  },
  // The first ball's height comes back in the last one.
  'newtons-cradle'(r) {
    const first = 1 - Math.cos((35 * Math.PI) / 180);
    near(Math.max(...r.get('b5.z')), first, 0.01, 'height of the last ball');
    assert.ok(r.summary.events.filter((e) => e.kind === 'impact').length >= 8);
  },
  // The rocker turns back where crank and coupler are in line.
  'four-bar'(r) {
    const [g, a, b, c] = [0.4, 0.1, 0.35, 0.3];
    const angle = (reach) => Math.acos((g * g + c * c - reach * reach) / (2 * g * c)); // at the rocker's pivot
    near(spread(r.get('pivot.angle')), angle(a + b) - angle(b - a), 2e-3, 'swing of the rocker');
    near(spread(r.get('shaft.angle')), 8 * Math.PI, 1e-9, 'turns of the crank');
  },
  'slider-crank'(r) {
    assert.ok(r.summary.violation.position < 1e-12);
    for (const row of [0, 100, 400]) near(r.vector('slider', row)[2], 0, 1e-12, 'slider off its guide');
  },
  // Gravity has no moment about the vertical, nor about the axis of a symmetric top.
  'heavy-top'(r) {
    assert.ok(spread(r.get('angular_momentum.z')) < 1e-6, 'angular momentum about the vertical');
    assert.ok(spread(spinOf(r, 'top')) < 1e-6, 'spin about its own axis');
    // It rises again to where it began (an integrable top nods between two circles), and never falls down.
    const z = r.get('top.z');
    assert.ok(Math.min(...z) > -0.8 && Math.max(...z) < 1e-6 && Math.max(...z.slice(200)) > -1e-2, 'it nods');
  },
  't-handle'(r) {
    const moment = Math.hypot(...[...'xyz'].map((k) => r.get(`angular_momentum.${k}`)[0]));
    for (const k of 'xyz') assert.ok(spread(r.get(`angular_momentum.${k}`)) < 1e-8 * moment, `angular momentum ${k}`);
    // Its stem points the other way: seen in the body's own axes, the spin changes sign.
    const spin = spinOf(r, 'stem');
    assert.ok(Math.max(...spin) > 9 && Math.min(...spin) < -9, 'it turns over');
  },
  // The loose end is ahead of a stone let go with it.
  'falling-chain'(r) {
    const t = r.get('t');
    const z = r.get('link25.z');
    const ahead = t.map((s, i) => z[0] - z[i] - (9.81 * s * s) / 2);
    assert.ok(Math.max(...ahead.slice(0, 45)) > 0.02, `ahead by ${Math.max(...ahead.slice(0, 45))} m`);
  },
  'sphere-pile'(r) {
    const last = r.rows.length - 1;
    for (const body of Object.keys(r.summary.final)) {
      const [x, y, z] = r.vector(body, last);
      assert.ok(Math.abs(x) < 0.45 && Math.abs(y) < 0.45 && z > 0.09, `${body} at ${[x, y, z]}`);
    }
  },
  // The clapper strikes one side after the other and never gets through.
  bell(r) {
    const strokes = r.summary.events.filter((e) => e.kind === 'impact').map((e) => e.name);
    assert.ok(strokes.length >= 5, `${strokes.length} strokes`);
    strokes.forEach((s, i) => assert.equal(s, i % 2 === 0 ? 'pin-least' : 'pin-largest'));
    assert.ok(Math.max(...r.get('pin.angle').map(Math.abs)) < 0.3 + 1e-9, 'the limits hold');
  },
  // One turn of the crank is one step: everything comes back, and the foot is down for most of its way back.
  strandbeest(r) {
    for (const row of [100, 200, 400])
      r.vector('foot', row).forEach((x, k) => near(x, r.vector('foot', 0)[k], 1e-9, `foot after ${row / 100} turns`));
    near(spread(r.get('foot.x')), 0.507, 2e-3, 'length of a step');
  },
  dominoes(r) {
    const last = r.rows.length - 1;
    for (const body of Object.keys(r.summary.final)) assert.ok(r.vector(body, last)[2] < 0.022, `${body} stands`);
  },
};

for (const file of examples) {
  const name = path.basename(file, '.toml');
  test(name, async () => {
    run('run', path.join(source, 'examples', file), '--quiet', '--out', name, '--html', `${name}.html`);
    const r = new Run(name);
    assert.equal(r.summary.outcome, 'completed');
    assert.ok(Math.max(...r.get('violation.position')) < 1e-8, 'joints hold, at every row');
    assert.ok(behaves[name], `${name}: say here what it should do`);
    behaves[name](r);
    const page = await open(browser, path.join(folder, `${name}.html`));
    await page.evaluate(() => plumb.time.seek((plumb.time.start + plumb.time.end) / 2));
    assert.ok(await page.locator('.view canvas').isVisible());
    assert.deepEqual(page.faults, []);
    await page.close();
  });
}

test('the gallery shows them all', () => {
  const gallery = readFileSync(path.join(source, 'docs/gallery/README.md'), 'utf8');
  for (const file of examples) assert.ok(gallery.includes(`examples/${file}`), file);
});
