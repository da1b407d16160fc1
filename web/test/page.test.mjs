// The page as a viewer has it: in a real browser, from disk.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { blob, cleanUp, folder, launch, open, read, run, source, write } from './browser.mjs';

const shots = process.env.PLUMB_SCREENSHOTS;
const shoot = async (page, name) => {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
};

// Yellow: the orange of a body has less green.
const isFlash = 'r > 200 && g > 0.72 * r && b < 0.62 * g';

let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  cleanUp();
});

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b}`);

// The swing of a pendulum released at rest, by Jacobi's functions: sin(angle/2) = k cn(w t)/dn(w t).
function pendulumAngle(t, amplitude, w) {
  const k = Math.sin(amplitude / 2);
  const a = [1];
  const c = [k];
  let b = Math.sqrt(1 - k * k);
  while (Math.abs(c.at(-1)) > 1e-17 && a.length < 12) {
    const last = a.at(-1);
    c.push((last - b) / 2);
    a.push((last + b) / 2);
    b = Math.sqrt(last * b);
  }
  let n = a.length - 1;
  let phi = 2 ** n * a[n] * w * t;
  for (; n > 0; --n) phi = (phi + Math.asin((c[n] / a[n]) * Math.sin(phi))) / 2;
  const [sn, cn] = [Math.sin(phi), Math.cos(phi)];
  return 2 * Math.asin((k * cn) / Math.sqrt(1 - k * k * sn * sn));
}

test('double pendulum: clean, five impacts in the ledger, the ledger leads to the instant', async () => {
  run('run', path.join(source, 'cases/double-pendulum-wall/points.toml'), '--quiet', '--html', 'wall.html', '--error');
  const page = await open(browser, path.join(folder, 'wall.html'));
  const times = (await page.locator('#ledger tbody tr td:nth-child(2)').allTextContents()).map(parseFloat);
  const known = [0.5452299438269636, 0.7075717860291161, 1.2840716743875961, 2.0966699980413776, 2.1305535443479853];
  assert.equal(times.length, 5);
  times.forEach((t, i) => near(t, known[i], 1e-10, `impact ${i + 1}`));
  assert.match(await page.locator('#audit').innerText(), /estimated error/);
  await page.locator('#ledger button').nth(1).click();
  near(await page.evaluate(() => plumb.time.time), known[1], 1e-10, 'time after choosing impact 2');
  // m2 stands at the wall then, and the flash is there.
  near((await page.evaluate(() => plumb.player.view.drawnPosition(1)))[0], 0, 2e-3, 'x of m2');
  await page.evaluate((t) => plumb.time.seek(t + 0.05), known[1]);
  const flash = await blob(page, '.view', isFlash);
  assert.ok(flash.n > 30, `a flash of ${flash.n} pixels`);
  await page.evaluate(() => plumb.time.seek(0.3));
  assert.ok((await blob(page, '.view', isFlash)).n < 5, 'no flash before');
  await shoot(page, 'wall-light');
  assert.deepEqual(page.faults, []);
});

test('pendulum: the pose on the screen is the exact one, and the plot has the right maximum', async () => {
  run('run', path.join(source, 'cases/pendulum/model.toml'), '--quiet', '--duration', '2.5', '--html', 'pendulum.html');
  const page = await open(browser, path.join(folder, 'pendulum.html'));
  for (const t of [0, 0.37, 0.9, 1.705]) {
    await page.evaluate((s) => plumb.time.seek(s), t);
    const angle = pendulumAngle(t, Math.PI / 2, Math.PI);
    const exact = [Math.sin(angle), 0, 1 - Math.cos(angle)];
    const drawn = await page.evaluate(() => plumb.player.view.drawnPosition(0));
    drawn.forEach((v, i) => near(v, exact[i], 2.5e-4, `coordinate ${i} at ${t}`)); // h² a/8: straight between rows 10 ms apart
    const [x, y] = await page.evaluate((p) => plumb.player.view.project(p), exact);
    const seen = await blob(page, '.view', 'b > 90 && b - r > 55 && b - g > 20'); // the blue ball
    assert.ok(seen.n > 100, `${seen.n} blue pixels at ${t}`);
    near(seen.x, x, 3, `screen x at ${t}`);
    near(seen.y, y, 3, `screen y at ${t}`);
  }
  const energy = await page.evaluate(() => {
    const plot = plumb.plots.plots.find((p) => p.plot.title === 'Energy');
    const at = plot.plot.channels.indexOf('energy.kinetic') + 1;
    return { most: Math.max(...plot.chart.data[at]), top: plot.chart.scales.y.max };
  });
  near(energy.most, Math.PI ** 2, 1e-3, 'largest kinetic energy');
  assert.ok(energy.top > Math.PI ** 2 && energy.top < 1.2 * Math.PI ** 2, `axis up to ${energy.top}`);
  assert.deepEqual(page.faults, []);
});

test('play moves, the slider scrubs, plots and keyboard are linked to the same time', async () => {
  const page = await open(browser, path.join(folder, 'pendulum.html'));
  const time = () => page.evaluate(() => plumb.time.time);
  await page.getByRole('button', { name: 'Play' }).click();
  // However slowly this machine draws: until it has moved.
  await page.waitForFunction(() => plumb.time.time > 0.1);
  await page.getByRole('button', { name: 'Pause' }).click();
  const played = await time();
  assert.ok(played > 0.1, `played to ${played}`);
  const before = await page.evaluate(() => plumb.player.view.drawnPosition(0));
  await page.waitForTimeout(200);
  assert.equal(await time(), played);
  await page.locator('.scrub').fill('2');
  near(await time(), 2, 1e-9, 'scrubbed');
  assert.notDeepEqual(await page.evaluate(() => plumb.player.view.drawnPosition(0)), before);
  await page.locator('h1').click();
  await page.keyboard.press('Home');
  assert.equal(await time(), 0);
  await page.keyboard.press('ArrowRight');
  near(await time(), 2.5 / 200, 1e-12, 'one step');
  await page.keyboard.press('Space');
  await page.waitForFunction(() => plumb.time.time > 0.02);
  await page.keyboard.press('Space');
  // A click in a plot shows that instant, and the line stands there.
  await page.evaluate(() => document.querySelector('#plots').scrollIntoView());
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + 40);
  near(await time(), 1.25, 0.02, 'time clicked in the plot');
  const line = await page.locator('.u-over .now').first().boundingBox();
  near(line.x, box.x + box.width / 2, 2, 'line in the plot');
  assert.deepEqual(page.faults, []);
});

test('a drag zooms all plots of time, a channel can be added, a phase plot drawn', async () => {
  const page = await open(browser, path.join(folder, 'pendulum.html'));
  await page.evaluate(() => document.querySelector('#plots').scrollIntoView());
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const range = await page.evaluate(() => [plumb.plots.plots[0].chart.scales.x.min, plumb.plots.plots[0].chart.scales.x.max]);
  near(range[0], 0.5, 0.03, 'left');
  near(range[1], 1.5, 0.03, 'right');
  await page.getByRole('button', { name: 'Add a plot' }).click();
  await page.getByRole('searchbox').fill('bob.vx');
  await page.getByLabel('bob.vx').check();
  await page.getByRole('combobox', { name: 'Horizontal axis' }).selectOption('bob.x');
  await page.getByRole('button', { name: 'Show' }).click();
  // The dialog reports its end as an event of its own, a little after the click.
  await page.waitForFunction(() => plumb.plots.plots.at(-1).plot.x !== 't');
  const last = await page.evaluate(() => plumb.plots.plots.at(-1).plot);
  assert.deepEqual([last.x, last.channels], ['bob.x', ['bob.vx']]);
  const drawn = await blob(page, '.plot:last-child .chart', 'b > 120 && b - r > 80');
  assert.ok(drawn.n > 300, `${drawn.n} pixels of the phase curve`);
  assert.deepEqual(page.faults, []);
});

test('texts of the model cannot become markup', async () => {
  const nasty = `</script><script>window.pwned=1</script><img src=x onerror="window.pwned=2"> "quotes" & 'more' <!--`;
  const model = `title = '''${nasty}'''\ndescription = '''${nasty}'''\n# ${nasty}\n[bodies.bob]\nmass = 1\nposition = [1, 0, 0]\n[joints.rod]\ntype = "rod"\nfrom = "ground"\nto = "bob"\nfrom_point = [0, 0, 0]\n[simulation]\nduration = 0.5\n`;
  run('run', write('nasty.toml', model), '--quiet', '--html', 'nasty.html');
  const page = await open(browser, path.join(folder, 'nasty.html'));
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.title(), nasty.replace(/\s+/g, ' '));
  assert.equal(await page.locator('h1').textContent(), nasty);
  assert.ok((await page.locator('#provenance pre').textContent()).includes(nasty));
  assert.deepEqual(page.faults, []);
});

const chain = (n, duration, every) => {
  let text = 'title = "Ten bodies"\n';
  for (let i = 0; i < n; ++i) {
    text += `[bodies.b${i}]\nbox = [0.1, 0.05, 0.03]\ndensity = 1000\nposition = [${0.05 + 0.1 * i}, ${0.01 * i}, 0]\n`;
    text += `[joints.j${i}]\ntype = "spherical"\nfrom = "${i === 0 ? 'ground' : `b${i - 1}`}"\nto = "b${i}"\npoint = [${0.1 * i}, 0, 0]\n`;
  }
  return `${text}[simulation]\nduration = ${duration}\ntolerance = 1e-7\noutput_every = ${every}\n`;
};

test('ten bodies for ten seconds stay below 3 MB', async () => {
  run('run', write('ten.toml', chain(10, 10, 0.01)), '--quiet', '--html', 'ten.html');
  const { size } = statSync(path.join(folder, 'ten.html'));
  assert.ok(size < 3e6, `${size} bytes`);
  const page = await open(browser, path.join(folder, 'ten.html'));
  assert.equal(await page.evaluate(() => plumb.table.rows), 1001);
  await shoot(page, 'ten-light');
  assert.deepEqual(page.faults, []);
});

test('a long run is thinned, keeps its extremes and offers all rows', async () => {
  run('run', write('long.toml', chain(10, 10, 0.0005)), '--quiet', '--html', 'long.html', '--out', 'long');
  assert.ok(statSync(path.join(folder, 'long.html')).size < 4e6);
  const page = await open(browser, path.join(folder, 'long.html'));
  assert.ok((await page.evaluate(() => plumb.table.rows)) < 20001);
  assert.equal(await page.locator('#thinned a').getAttribute('href'), 'long.trajectory.csv');
  const rows = read('long.trajectory.csv').trimEnd().split('\n');
  assert.equal(rows.length, 20002);
  const at = rows[0].split(',').indexOf('b9.z');
  const lowest = Math.min(...rows.slice(1).map((r) => Number(r.split(',')[at])));
  assert.equal(await page.evaluate(() => plumb.table.describe('b9.z').min), lowest);
  assert.deepEqual(page.faults, []);
  // The same from the stored run, beside which all rows lie already.
  run('view', 'long');
  const again = await open(browser, path.join(folder, 'long/result.html'));
  assert.equal(await again.locator('#thinned a').getAttribute('href'), 'trajectory.csv');
  assert.ok(!existsSync(path.join(folder, 'long/result.trajectory.csv')));
  assert.deepEqual(again.faults, []);
});

test('dark, on a phone: readable, nothing sticks out', async () => {
  const page = await open(browser, path.join(folder, 'wall.html'), { viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true });
  const { wide, ground } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    ground: getComputedStyle(document.body).backgroundColor,
  }));
  assert.ok(wide <= 390, `${wide} pixels wide`);
  assert.equal(ground, 'rgb(20, 24, 29)');
  await shoot(page, 'wall-dark-phone');
  assert.deepEqual(page.faults, []);
});

test('without WebGL the motion is drawn as lines', async () => {
  const plain = await launch({ webgl: false });
  try {
    const page = await open(plain, path.join(folder, 'pendulum.html'));
    page.faults = page.faults.filter((f) => !/WebGL|context/.test(f));
    assert.match(await page.locator('.view').innerText(), /no WebGL/);
    await page.evaluate(() => plumb.time.seek(0.9));
    const angle = pendulumAngle(0.9, Math.PI / 2, Math.PI);
    const [x, y] = await page.evaluate((p) => plumb.player.view.project(p), [Math.sin(angle), 0, 1 - Math.cos(angle)]);
    const seen = await blob(page, '.view canvas', 'b > 120 && b - r > 80');
    near(seen.x, x, 3, 'screen x');
    near(seen.y, y, 3, 'screen y');
    await shoot(page, 'pendulum-no-webgl');
    assert.deepEqual(page.faults, []);
  } finally {
    await plain.close();
  }
});
