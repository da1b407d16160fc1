// Elements made in code. Texts of the model only ever become text nodes, never markup.

type Child = Node | string;
type Attributes = Record<string, string | boolean | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e.addEventListener(name, value as EventListener);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== false) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

// A table whose wide rows scroll inside their own box.
export function table(head: string[], rows: Child[][], numeric: number[] = []): HTMLElement {
  const cell = (tag: 'td' | 'th', c: Child, i: number) => h(tag, numeric.includes(i) ? { class: 'number' } : {}, c);
  return h(
    'div',
    { class: 'scroll', tabindex: '0' },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...head.map((c, i) => cell('th', c, i)))),
      h('tbody', {}, ...rows.map((r) => h('tr', {}, ...r.map((c, i) => cell('td', c, i))))),
    ),
  );
}

export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
