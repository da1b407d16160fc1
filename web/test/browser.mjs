// A real Chromium, and the command under test: $PLUMB, $PLUMB_SOURCE.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

export const plumb = process.env.PLUMB ?? fileURLToPath(new URL('../../build/release/bin/plumb', import.meta.url));
export const source = process.env.PLUMB_SOURCE ?? fileURLToPath(new URL('../..', import.meta.url));
export const folder = mkdtempSync(path.join(tmpdir(), 'plumb-pages-'));
export const cleanUp = () => rmSync(folder, { recursive: true, force: true });

export function write(name, text) {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}
export const read = (name) => readFileSync(path.join(folder, name), 'utf8');

export const run = (...args) => execFileSync(plumb, args, { cwd: folder, encoding: 'utf8' });

const quiet = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const drawing = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

// Playwright gives each browser an empty profile.
export function launch({ webgl = true } = {}) {
  const args = [...quiet, ...(webgl ? drawing : ['--disable-gpu', '--disable-3d-apis'])];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
}

// Opens a page and notes everything it should not do.
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GPU stall|WebGL/.test(m.text()) && page.faults.push(m.text()));
  page.on('pageerror', (e) => page.faults.push(e.message));
  page.on('request', (r) => {
    const url = r.url();
    if (!/^(file|data|blob):/.test(url) && !url.startsWith(options.own ?? '\n')) page.faults.push(`request ${url}`);
  });
  await page.goto(address.startsWith('http') ? address : `file://${address}`);
  await page.waitForFunction(() => window.plumb?.table || document.querySelector('.failure'));
  await page.waitForTimeout(300);
  return page;
}

// Middle and number of the pixels of an element that look like the given colour, in CSS pixels of the element.
export async function blob(page, selector, isColour) {
  const shot = (await page.locator(selector).screenshot()).toString('base64');
  // On a page of its own: the content security policy of ours forbids code from text.
  const desk = await page.context().newPage();
  const found = await desk.evaluate(
    async ([data, test]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const g = canvas.getContext('2d');
      g.drawImage(image, 0, 0);
      const { data: p } = g.getImageData(0, 0, image.width, image.height);
      const matches = new Function('r', 'g', 'b', `return ${test}`);
      let [n, x, y] = [0, 0, 0];
      for (let i = 0; i < p.length; i += 4)
        if (matches(p[i], p[i + 1], p[i + 2])) {
          n += 1;
          x += (i / 4) % image.width;
          y += Math.floor(i / 4 / image.width);
        }
      return { n, x: x / n, y: y / n };
    },
    [shot, isColour],
  );
  await desk.close();
  return found;
}
