// plumb serve: the page that runs the model again, and who may not ask for it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { cleanUp, launch, open, plumb, write } from './browser.mjs';

const model = `title = "Spring"
[parameters]
k = 40
m = 2
w = "sqrt(k/m)"
[bodies.block]
mass = "m"
position = [0.3, 0, 0]
[joints.guide]
type = "prismatic"
from = "ground"
to = "block"
axis = [1, 0, 0]
[forces.spring]
type = "spring"
from = "ground"
from_point = [-1, 0, 0]
to = "block"
stiffness = "k"
length = 1
[simulation]
duration = 3
`;

let server;
let address;
let browser;

before(async () => {
  server = spawn(plumb, ['serve', write('spring.toml', model)], { stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise((resolve, reject) => {
    server.stdout.once('data', (d) => resolve(String(d).trim()));
    server.once('exit', (code) => reject(new Error(`plumb serve ended with ${code}`)));
  });
  browser = await launch();
});
after(async () => {
  await browser.close();
  server.kill();
  cleanUp();
});

const ask = (url, options = {}) =>
  new Promise((resolve, reject) => {
    const request = http.request(url, options, (reply) => {
      let body = '';
      reply.on('data', (d) => (body += d));
      reply.on('end', () => resolve({ status: reply.statusCode, body }));
    });
    request.on('error', reject);
    request.end(options.body);
  });

test('a slider runs the model again', async () => {
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{32}$/);
  const page = await open(browser, address, { own: new URL(address).origin });
  // x = 0.3 cos(w t), w = sqrt(k/m); w itself is derived and has no slider.
  const x = (t) => page.evaluate((s) => (plumb.time.seek(s), plumb.player.view.drawnPosition(0)[0]), t);
  assert.ok(Math.abs((await x(1)) - 0.3 * Math.cos(Math.sqrt(20))) < 1e-4);
  assert.equal(await page.locator('#live input[data-name=w]').count(), 0);
  await page.locator('#live input[data-name=k]').fill('90');
  const computed = () => page.waitForSelector('#live[aria-busy=false]');
  await computed();
  assert.ok(Math.abs((await x(1)) - 0.3 * Math.cos(Math.sqrt(45))) < 1e-4);
  // An initial value, together with the parameter that was moved before: x = 0.3 cos + v/w sin.
  await page.getByText('Initial values').click();
  await page.locator('#live input[data-name="block.vx"]').fill('2');
  await computed();
  const w = Math.sqrt(45);
  assert.ok(Math.abs((await x(1)) - (0.3 * Math.cos(w) + (2 / w) * Math.sin(w))) < 1e-4);
  // What cannot run is said, and the last good run stays.
  await page.locator('#live input[aria-label="m, exactly"]').fill('-1');
  await page.locator('#live input[aria-label="m, exactly"]').blur();
  await page.waitForFunction(() => /not a finite number/.test(document.querySelector('#live [role=status]').textContent));
  assert.ok(Math.abs((await x(1)) - (0.3 * Math.cos(w) + (2 / w) * Math.sin(w))) < 1e-4);
  assert.deepEqual(page.faults.filter((f) => !/400/.test(f)), []);
});

test('only who has the token, by the name of this machine, gets an answer; and nothing but the model', async () => {
  const { origin, port, searchParams } = new URL(address);
  const token = searchParams.get('token');
  assert.equal((await ask(address)).status, 200);
  assert.equal((await ask(`${origin}/`)).status, 403);
  assert.equal((await ask(`${origin}/?token=${token.slice(1)}0`)).status, 403);
  assert.equal((await ask(address, { headers: { Host: `evil.example:${port}` } })).status, 403);
  assert.equal((await ask(`${origin}/run`, { method: 'POST', body: '{}' })).status, 403);
  for (const place of ['/etc/passwd', '/spring.toml', '/..%2f..%2fetc/passwd', '/run'])
    assert.equal((await ask(`${origin}${place}?token=${token}`)).status, 404);
  const post = (body) => ask(`${origin}/run`, { method: 'POST', headers: { 'X-Plumb-Token': token }, body });
  assert.equal((await post('{}')).status, 200);
  assert.equal((await post('not json')).status, 400);
  assert.match((await post('{"kk": 1}')).body, /nothing named 'kk'/);
  assert.match((await post('{"k": "many"}')).body, /names and numbers/);
  assert.equal((await post('x'.repeat(100000))).status, 413);
});

test('it listens on the loopback address alone', async () => {
  const { readFileSync } = await import('node:fs');
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, '0');
  const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((f) =>
    readFileSync(f, 'utf8').split('\n').filter((l) => / 0A /.test(l) && l.split(/\s+/)[2]?.endsWith(`:${port}`)),
  );
  assert.equal(listening.length, 1);
  assert.ok(listening[0].includes(`0100007F:${port}`));
  assert.ok(path.isAbsolute(plumb));
});
