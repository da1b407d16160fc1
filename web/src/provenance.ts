// Where the numbers come from: model, method, version, and the numbers themselves.
import type { PageData, Table } from './data';
import { download, h, table } from './dom';
import { duration, number } from './format';

const fileName = (title: string): string => title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'plumb';

function dataNote(d: PageData, t: Table): Node[] {
  const save = h('button', { click: () => download(`${fileName(d.summary.title)}.csv`, t.csv(), 'text/csv') }, 'Save data as CSV');
  const notes: Node[] = [save];
  const shown = t.columns.filter((c) => c.name !== '').length;
  if (t.rows < d.rows_total || shown < d.columns_total) {
    const text = `This page carries ${t.rows} of ${d.rows_total} rows and ${shown} of ${d.columns_total} channels. `;
    notes.push(h('p', { class: 'note', id: 'thinned' }, text, ...fullData(d)));
  } else notes.push(h('p', { class: 'note' }, `All ${t.rows} rows of ${shown} channels, every bit.`));
  return notes;
}

function fullData(d: PageData): (Node | string)[] {
  if (!d.full_data) return ['All of them: plumb run … --out DIRECTORY.'];
  return ['All of them: ', h('a', { href: encodeURI(d.full_data), download: true }, d.full_data)];
}

export function provenanceSection(d: PageData, t: Table): HTMLElement {
  const s = d.summary;
  const accuracy = s.step !== undefined ? `step ${number(s.step)} s` : `tolerance ${number(s.tolerance)}`;
  const rows: [string, string][] = [
    ['method', `${s.method}, ${accuracy}`],
    ['steps', `${s.steps}${s.rejected ? ` (${s.rejected} rejected)` : ''}, ${s.evaluations} evaluations, ${duration(s.cpu_seconds)}`],
    ['program', `plumb ${s.version}`],
    ['model', s.model_hash],
  ];
  for (const [name, value] of s.set ?? []) rows.push(['set', `${name} = ${value}`]);
  const section = h('section', { id: 'provenance', 'aria-label': 'Provenance' }, h('h2', {}, 'Provenance'), table(['', ''], rows));
  section.append(...dataNote(d, t));
  if (d.model !== '') {
    const save = h('button', { click: () => download('model.toml', d.model, 'text/plain') }, 'Save model');
    section.append(
      h('details', {}, h('summary', {}, 'Model file'), save, h('pre', { tabindex: '0' }, h('code', {}, d.model))),
    );
  }
  return section;
}
