// Bundles the page: node build.mjs [DIRECTORY] writes page.js and page.css there.
import { build } from 'esbuild';

const out = process.argv[2] ?? 'dist';
const shared = { bundle: true, minify: true, legalComments: 'eof', logLevel: 'warning', charset: 'utf8' };
await build({ ...shared, entryPoints: ['src/main.ts'], outfile: `${out}/page.js`, format: 'iife', target: 'es2021' });
await build({ ...shared, entryPoints: ['src/page.css'], outfile: `${out}/page.css` });
