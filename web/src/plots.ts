// Plots of any channels, linked to the time of the animation.
import uPlot from 'uplot';

import type { Clock } from './clock';
import type { PlotData, Table } from './data';
import { h } from './dom';
import { number, tick } from './format';
import { bodyColour } from './view';
import type { Theme } from './theme';

const linked = uPlot.sync('plumb');
const height = 260;

// The range to show: a channel that only rounds is a straight line, not noise blown up to the full height.
export function niceRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size === 0) return [-1, 1];
  if (high - low < 1e-9 * size) return [low - 0.05 * size, high + 0.05 * size];
  return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
}

// A logarithmic axis shows exponents on a linear one (uPlot's own ends at 1e-16): whole decades, at least one.
export function decadeRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-16, 0];
  return [Math.floor(low), Math.max(Math.floor(low) + 1, Math.ceil(high))];
}

export class Plot {
  readonly element = h('figure', { class: 'plot' });
  private chart: uPlot | null = null;
  private readonly place = h('div', { class: 'chart' });
  private readonly marker = h('div', { class: 'now' });
  private readonly observer: ResizeObserver;
  private readonly stops: (() => void)[];
  private hovering = false;

  constructor(
    private readonly table: Table,
    readonly plot: PlotData,
    private readonly clock: Clock,
    private readonly theme: Theme,
    private readonly edit: (plot: Plot) => void,
    private readonly remove: (plot: Plot) => void,
  ) {
    this.element.append(this.heading(), this.place);
    this.observer = new ResizeObserver(() => this.chart?.setSize({ width: this.width(), height }));
    this.observer.observe(this.place);
    this.stops = [clock.listen(() => this.update()), theme.listen(() => this.chart?.redraw())];
    this.draw();
  }

  private heading(): HTMLElement {
    const log = h('input', { type: 'checkbox' });
    log.checked = this.plot.log;
    log.addEventListener('change', () => {
      this.plot.log = log.checked;
      this.draw();
    });
    return h(
      'figcaption',
      {},
      h('strong', {}, this.plot.title || this.plot.channels.join(', ')),
      h('label', {}, log, ' log'),
      h('button', { title: 'Choose channels', click: () => this.edit(this) }, 'Channels'),
      h('button', { title: 'Save as PNG', click: () => this.save() }, 'PNG'),
      h('button', { title: 'Remove this plot', 'aria-label': 'Remove this plot', click: () => this.remove(this) }, '✕'),
    );
  }

  private width(): number {
    return Math.max(200, this.place.clientWidth);
  }

  private isPhase(): boolean {
    return this.plot.x !== 't';
  }

  private shown(x: number): number | null {
    if (!Number.isFinite(x)) return null;
    if (!this.plot.log) return x;
    return x > 0 ? Math.log10(x) : null;
  }

  draw(): void {
    this.chart?.destroy();
    const values = this.plot.channels.map((c) => this.table.get(c));
    const shown = values.map((v) => Array.from(v, (x) => this.shown(x)));
    const x = Array.from(this.table.get(this.plot.x));
    const data = this.isPhase() ? [null, ...shown.map((y) => [x, y])] : [x, ...shown];
    this.chart = new uPlot(this.options(), data as unknown as uPlot.AlignedData, this.place);
    this.chart.over.append(this.marker);
    this.chart.over.addEventListener('pointerenter', () => (this.hovering = true));
    this.chart.over.addEventListener('pointerleave', () => {
      this.hovering = false;
      this.update();
    });
    this.listenForClicks(this.chart);
    this.update();
  }

  // A click shows that instant; a drag is uPlot's zoom, a double click takes it back.
  private listenForClicks(chart: uPlot): void {
    let from = 0;
    chart.over.addEventListener('pointerdown', (e) => (from = e.clientX));
    chart.over.addEventListener('pointerup', (e) => {
      if (Math.abs(e.clientX - from) > 4 || this.isPhase()) return;
      this.clock.seek(chart.posToVal(e.clientX - chart.over.getBoundingClientRect().left, 'x'));
    });
  }

  private options(): uPlot.Options {
    const ink = () => this.theme.palette.ink;
    const grid = { stroke: () => this.theme.palette.faint + '44', width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif' };
    const unitOf = (name: string) => this.table.describe(name).unit;
    const units = [...new Set(this.plot.channels.map(unitOf))];
    const label = (names: string, unit: string) => (unit ? `${names} (${unit})`.trim() : names);
    const marks = (_: uPlot, ticks: number[], __: number, ___: number, step: number) =>
      ticks.map((v) => (v === null ? '' : tick(v, step)));
    const powers = (_: uPlot, ticks: number[]) => ticks.map((v) => `1e${v}`.replace('-', '−'));
    const series = this.plot.channels.map((name, i) => ({
      label: units.length > 1 ? label(name, unitOf(name)) : name,
      stroke: bodyColour(i),
      width: 1.5,
      points: { show: false },
      value: (_: uPlot, v: number | null) => number(v === null ? v : this.plot.log ? 10 ** v : v, 7),
      ...(this.isPhase() ? { paths: phasePath, facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }] } : {}),
    }));
    return {
      mode: this.isPhase() ? 2 : 1,
      // Scales are known only once something is drawn, and change with every zoom.
      hooks: { ready: [() => this.update()], draw: [() => this.mark()] },
      width: this.width(),
      height,
      scales: {
        x: { time: false, range: this.isPhase() ? (_, a, b) => niceRange(a, b) : undefined },
        y: { range: (_, a, b) => (this.plot.log ? decadeRange(a, b) : niceRange(a, b)) },
      },
      axes: [
        { ...axis, label: label(this.plot.x, unitOf(this.plot.x)), labelSize: 18, size: 34, values: marks },
        { ...axis, label: label(this.plot.channels.length === 1 ? this.plot.channels[0] : '', units.length === 1 ? units[0] : ''), size: 66, labelSize: 20, labelGap: 6, ...(this.plot.log ? { values: powers, incrs: [1, 2, 5, 10, 20, 50] } : { values: marks }) },
      ],
      cursor: { sync: this.isPhase() ? undefined : { key: linked.key }, drag: { x: true, y: this.isPhase(), uni: 30 } },
      series: (this.isPhase()
        ? [{}, ...series]
        : [{ label: 't', value: (_: uPlot, v: number | null) => number(v, 7) }, ...series]) as uPlot.Series[],
    };
  }

  update(): void {
    this.mark();
    if (this.chart && !this.isPhase() && !this.hovering)
      this.chart.setLegend({ idx: this.table.rowAt(this.clock.time) }, false);
  }

  // The time of the animation: a line, or a dot on the path.
  private mark(): void {
    const chart = this.chart;
    if (!chart) return;
    const t = this.clock.time;
    const row = this.table.rowAt(t);
    if (this.isPhase()) {
      const y = this.shown(this.table.get(this.plot.channels[0])[row]) ?? NaN;
      this.marker.className = 'now dot';
      this.marker.style.transform = `translate(${chart.valToPos(this.table.get(this.plot.x)[row], 'x')}px, ${chart.valToPos(y, 'y')}px)`;
    } else {
      this.marker.className = 'now';
      const at = chart.valToPos(t, 'x');
      this.marker.style.visibility = at < 0 || at > chart.over.clientWidth ? 'hidden' : 'visible';
      this.marker.style.transform = `translateX(${at}px)`;
    }
  }

  private save(): void {
    if (!this.chart) return;
    const source = this.chart.ctx.canvas;
    const canvas = h('canvas', { width: String(source.width), height: String(source.height) });
    const g = canvas.getContext('2d')!;
    g.fillStyle = this.theme.palette.ground;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.drawImage(source, 0, 0);
    h('a', { href: canvas.toDataURL('image/png'), download: `${this.plot.channels.join('_')}.png` }).click();
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.observer.disconnect();
    this.chart?.destroy();
    this.chart = null;
    this.element.remove();
  }
}

// A curve of one channel over another, in the order of time.
const phasePath: uPlot.Series.PathBuilder = (u, seriesIdx) => {
  const [xs, ys] = (u.data as unknown as (number | null)[][][])[seriesIdx];
  const path = new Path2D();
  let down = false;
  for (let i = 0; i < xs.length; ++i) {
    const [x, y] = [xs[i], ys[i]];
    if (x === null || y === null) {
      down = false;
      continue;
    }
    const [px, py] = [u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)];
    if (down) path.lineTo(px, py);
    else path.moveTo(px, py);
    down = true;
  }
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  u.ctx.strokeStyle = bodyColour(seriesIdx - 1);
  u.ctx.lineWidth = 1.5 * (window.devicePixelRatio || 1);
  u.ctx.stroke(path);
  u.ctx.restore();
  return null;
};

export class PlotSection {
  readonly element: HTMLElement;
  readonly plots: Plot[] = [];
  private readonly grid = h('div', { class: 'plots' });

  constructor(
    private readonly table: Table,
    private readonly clock: Clock,
    private readonly theme: Theme,
    plots: PlotData[],
  ) {
    const more = h('button', { click: () => this.choose(null) }, 'Add a plot');
    this.element = h(
      'section',
      { id: 'plots', 'aria-label': 'Plots' },
      h('h2', {}, 'Plots'),
      h('p', { class: 'note' }, 'Click: show that instant. Drag: zoom. Double click: all of it.'),
      this.grid,
      more,
    );
    for (const p of plots) this.add({ ...p });
  }

  add(plot: PlotData): Plot {
    const made = new Plot(this.table, plot, this.clock, this.theme, (p) => this.choose(p), (p) => this.remove(p));
    this.plots.push(made);
    this.grid.append(made.element);
    made.draw();
    return made;
  }

  private remove(plot: Plot): void {
    this.plots.splice(this.plots.indexOf(plot), 1);
    plot.dispose();
  }

  // Which channels a plot shows, and against what.
  private choose(plot: Plot | null): void {
    const chosen = new Set(plot ? plot.plot.channels : []);
    const filter = h('input', { type: 'search', placeholder: 'Find a channel', 'aria-label': 'Find a channel' });
    const list = h('div', { class: 'channels' });
    const against = h('select', { 'aria-label': 'Horizontal axis' }, ...['t', ...this.table.channels()].map((c) => h('option', { value: c }, c)));
    against.value = plot ? plot.plot.x : 't';
    const fill = () => {
      const wanted = filter.value.toLowerCase();
      const names = this.table.channels().filter((c) => c.toLowerCase().includes(wanted));
      list.replaceChildren(
        ...names.slice(0, 300).map((name) => {
          const box = h('input', { type: 'checkbox' });
          box.checked = chosen.has(name);
          box.addEventListener('change', () => (box.checked ? chosen.add(name) : chosen.delete(name)));
          return h('label', {}, box, ` ${name}`);
        }),
      );
    };
    filter.addEventListener('input', fill);
    fill();
    const done = h('button', { value: 'ok' }, 'Show');
    const cancel = h('button', { value: '' }, 'Cancel');
    const form = h('form', { method: 'dialog' }, h('h3', {}, 'Channels'), filter, list, h('label', {}, 'against ', against), h('div', { class: 'row' }, done, cancel));
    const dialog = h('dialog', {}, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (dialog.returnValue !== 'ok' || chosen.size === 0) return;
      const next = { title: '', channels: [...chosen], x: against.value, log: plot?.plot.log ?? false };
      if (plot) this.replace(plot, next);
      else this.add(next);
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  private replace(plot: Plot, next: PlotData): void {
    const at = this.plots.indexOf(plot);
    const made = new Plot(this.table, next, this.clock, this.theme, (p) => this.choose(p), (p) => this.remove(p));
    plot.element.replaceWith(made.element);
    plot.dispose();
    this.plots[at] = made;
    made.draw();
  }

  dispose(): void {
    for (const p of this.plots) p.dispose();
    this.element.remove();
  }
}

