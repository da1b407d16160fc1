// The gallery: runs every example, writes its page into DIRECTORY with an index, and stills and a README into docs/gallery.
// Usage: node gallery.mjs PLUMB DIRECTORY
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const [plumb, out] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const stills = path.join(root, 'docs/gallery');

// The documents' cases first, then everything in examples/.
const documents = ['cases/pendulum/model.toml', 'cases/iftomm-a01/model.toml', 'cases/pinned-bar/prism.toml', 'cases/double-pendulum-wall/points.toml', 'cases/iftomm-a02/n2.toml', 'cases/iftomm-a04/model.toml'];
const examples = readdirSync(path.join(root, 'examples'))
  .filter((f) => f.endsWith('.toml'))
  .sort()
  .map((f) => `examples/${f}`);
// Where in the run the still is taken, as a part of it; the middle where nothing is said.
const moments = { 'examples/dominoes.toml': 0.35, 'examples/falling-chain.toml': 0.13, 'examples/sphere-pile.toml': 0.15, 'examples/newtons-cradle.toml': 0.17, 'cases/pinned-bar/prism.toml': 0.4, 'examples/double-pendulum.toml': 0.3 };

const text = (file, key) => {
  const found = new RegExp(`^${key} *= *"(.*)"`, 'm').exec(readFileSync(path.join(root, file), 'utf8'));
  return found ? found[1] : '';
};
const nameOf = (file) => (file.startsWith('examples/') ? path.basename(file, '.toml') : file.split('/')[1]);
const escape = (s) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

mkdirSync(out, { recursive: true });
mkdirSync(stills, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
const cards = [];
for (const file of [...documents, ...examples]) {
  const name = nameOf(file);
  const target = path.resolve(out, `${name}.html`);
  execFileSync(plumb, ['run', path.join(root, file), '--quiet', '--html', target], { stdio: 'inherit' });
  await page.goto(`file://${target}#embed`);
  await page.waitForFunction(() => window.plumb?.table);
  await page.waitForTimeout(400);
  await page.evaluate((part) => plumb.time.seek(plumb.time.start + part * (plumb.time.end - plumb.time.start)), moments[file] ?? 0.5);
  await page.locator('.view').screenshot({ path: path.join(stills, `${name}.png`) });
  cards.push({ name, file, title: text(file, 'title') || name, description: text(file, 'description') });
  console.log(`${name}.html`);
}
await browser.close();

const still = (c) => readFileSync(path.join(stills, `${c.name}.png`)).toString('base64');
const html = cards.map((c) => `<a href="${c.name}.html"><img alt="" src="data:image/png;base64,${still(c)}"><strong>${escape(c.title)}</strong><span>${escape(c.description)}</span></a>`);
writeFileSync(
  path.join(out, 'index.html'),
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Plumb: gallery</title><style>
:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; max-width: 1180px; margin: 0 auto; padding: 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 1.5rem; }
a { color: inherit; text-decoration: none; display: grid; gap: .3rem; align-content: start; } a:hover strong { text-decoration: underline; }
img { width: 100%; border-radius: .5rem; } span { opacity: .75; font-size: .95rem; }
</style></head><body><h1>Gallery</h1><main>${html.join('\n')}</main></body></html>\n`,
);

const rows = cards.map((c) => `### ${c.title}\n\n${c.description ? `${c.description}\n\n` : ''}![${c.title}](${c.name}.png)\n\n\`plumb run ${c.file} --html ${c.name}.html\`\n`);
writeFileSync(
  path.join(stills, 'README.md'),
  `# Gallery\n\nEvery picture is a still of the page the command below it writes. \`make gallery\` writes all of them, with an\nindex, to \`build/gallery\`, and this page.\n\n${rows.join('\n')}`,
);
