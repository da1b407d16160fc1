// The page: reads the data it carries and shows it.
import { auditSection } from './audit';
import { Clock } from './clock';
import { type PageData, type Table, decode, supportedFormat } from './data';
import { h } from './dom';
import { number } from './format';
import { ledgerSection } from './ledger';
import { LivePanel } from './live';
import { Player, nextSpeed } from './player';
import { PlotSection } from './plots';
import { provenanceSection } from './provenance';
import { Theme } from './theme';

class Page {
  private readonly root = document.getElementById('page')!;
  private readonly theme = new Theme();
  private readonly embedded = location.hash === '#embed';
  private clock = new Clock(0, 1);
  private readonly head = h('header');
  private readonly body = h('div', { class: 'content' });
  player: Player | null = null;
  plots: PlotSection | null = null;
  table: Table | null = null;

  constructor(private readonly first: PageData) {
    if (this.embedded) document.documentElement.classList.add('embed');
    this.clock.listen(() => this.player?.update());
    this.theme.listen(() => this.player?.updateTheme());
    document.addEventListener('keydown', (e) => this.key(e));
  }

  async start(): Promise<void> {
    this.root.replaceChildren(this.head, this.body);
    await this.show(this.first);
    const { live } = this.first;
    if (live) {
      const panel = new LivePanel(live, (data) => this.show(data));
      this.head.after(panel.element);
    }
  }

  async show(data: PageData): Promise<void> {
    const table = await decode(data.table);
    this.table = table;
    const times = table.get('t');
    this.clock.setRange(times[0], times[times.length - 1]);
    this.showHead(data);
    const before = this.player;
    const kept = this.plots?.plots.map((p) => p.plot).filter((p) => p.channels.every((c) => table.has(c)));
    this.plots?.dispose();
    const { clock } = this;
    this.player = data.scene && data.scene.bodies.length > 0 ? new Player(data, table, clock, this.theme, before) : null;
    before?.dispose();
    this.plots = this.embedded ? null : new PlotSection(table, clock, this.theme, kept ?? data.plots);
    const seek = (t: number) => {
      clock.seek(t);
      this.player?.element.scrollIntoView({ behavior: 'smooth', block: 'nearest' });
    };
    const parts = this.embedded
      ? [this.player?.element]
      : [
          this.player?.element,
          this.plots?.element,
          auditSection(data.summary, table),
          ledgerSection(data.summary, seek),
          data.derivation ? this.derivation(data.derivation) : undefined,
          provenanceSection(data, table),
        ];
    this.body.replaceChildren(...parts.filter((p): p is HTMLElement => p instanceof HTMLElement));
    this.player?.update();
  }

  private showHead(data: PageData): void {
    const s = data.summary;
    document.title = s.title || 'plumb';
    const state = h('span', { class: `chip ${s.partial ? 'poor' : 'good'}` }, `${s.outcome} at ${number(s.time, 6)} s`);
    this.head.replaceChildren(
      h('div', { class: 'row' }, h('h1', {}, s.title || 'Run of plumb'), this.themeButton),
      h('p', { class: 'lead' }, state, ` ${s.method}, ${s.steps} steps`),
      ...(s.description ? [h('p', { class: 'description' }, s.description)] : []),
    );
  }
  private readonly themeButton = this.theme.button();

  private derivation(markup: string): HTMLElement {
    const parsed = new DOMParser().parseFromString(markup, 'text/html');
    return h(
      'section',
      { 'aria-label': 'Equations', class: 'derivation' },
      h('h2', {}, 'Equations'),
      ...Array.from(parsed.body.children),
    );
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
    if (target.tagName === 'BUTTON' && e.key === ' ') return;
    if (target.closest('dialog')) return;
    const step = (this.clock.end - this.clock.start) / (e.shiftKey ? 20 : 200);
    const actions: Record<string, () => void> = {
      ' ': () => this.clock.toggle(),
      ArrowRight: () => this.clock.seek(this.clock.time + step),
      ArrowLeft: () => this.clock.seek(this.clock.time - step),
      Home: () => this.clock.seek(this.clock.start),
      End: () => this.clock.seek(this.clock.end),
      '+': () => this.clock.setSpeed(nextSpeed(this.clock.speed, 1)),
      '-': () => this.clock.setSpeed(nextSpeed(this.clock.speed, -1)),
      r: () => this.player?.view.resetCamera(),
    };
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action();
  }

  get time(): Clock {
    return this.clock;
  }
}

function fail(message: string): void {
  document.getElementById('page')!.replaceChildren(h('p', { class: 'failure', role: 'alert' }, message));
}

const text = document.getElementById('plumb-data')?.textContent ?? '';
try {
  const data = JSON.parse(text) as PageData;
  if (data.format !== supportedFormat) throw new Error(`data of format ${data.format}`);
  const page = new Page(data);
  // For tests and for the curious: plumb.time.seek(1.5), plumb.player.view.project([0, 0, 0]).
  (window as unknown as { plumb: Page }).plumb = page;
  page.start().catch((e: unknown) => fail(`This page cannot be shown: ${String(e)}`));
} catch (e) {
  fail(`This page is damaged: ${String(e)}`);
}
