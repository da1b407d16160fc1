// The animation with its controls.
import { CanvasView } from './canvas_view';
import type { Clock } from './clock';
import type { PageData, Table } from './data';
import { h } from './dom';
import { clockTime } from './format';
import { Poses } from './poses';
import type { Theme } from './theme';
import { ThreeView } from './three_view';
import { type TracePoint, type View, isLink, isSlide } from './view';

const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  readonly element: HTMLElement;
  view: View;
  poses: Poses;
  private readonly chosen = new Set<string>();
  private stop: () => void = () => {};

  constructor(
    private readonly data: PageData,
    table: Table,
    private readonly clock: Clock,
    private readonly theme: Theme,
    before: Player | null, // of the same model: its point of view and its traces are kept
  ) {
    this.poses = new Poses(data.scene!, table);
    this.view = this.makeView();
    if (before?.view instanceof ThreeView && this.view instanceof ThreeView) this.view.viewpoint = before.view.viewpoint;
    this.view.element.setAttribute('role', 'img');
    this.view.element.setAttribute('aria-label', 'Animation of the motion');
    this.element = h('section', { class: 'player', 'aria-label': 'Animation' }, this.view.element, this.controls());
    this.view.setPalette(theme.palette);
    const few = data.scene!.bodies.length;
    if (before) before.chosen.forEach((c) => this.chosen.add(c));
    else if (few <= 3) this.chosen.add(data.scene!.bodies[few - 1].name);
    this.applyTraces();
    this.view.show(clock.time);
  }

  private makeView(): View {
    const speed = () => this.clock.speed;
    try {
      return new ThreeView(this.poses, this.data.summary.events, speed);
    } catch {
      return new CanvasView(this.poses, this.data.summary.events, speed);
    }
  }

  update(): void {
    this.view.show(this.clock.time);
  }
  updateTheme(): void {
    this.view.setPalette(this.theme.palette);
  }
  dispose(): void {
    this.stop();
    this.view.dispose();
    this.element.remove();
  }

  private controls(): HTMLElement {
    const { clock } = this;
    const play = h('button', { class: 'play', click: () => clock.toggle() });
    const slider = h('input', { type: 'range', class: 'scrub', 'aria-label': 'Time', step: 'any' });
    slider.addEventListener('input', () => clock.seek(Number(slider.value)));
    const time = h('output', { class: 'time', title: 'Time of the motion' });
    const speed = h('select', { 'aria-label': 'Speed' }, ...speeds.map((s) => h('option', { value: String(s) }, `${s}×`)));
    speed.addEventListener('change', () => clock.setSpeed(Number(speed.value)));
    const reset = h('button', { title: 'Reset the camera (R)', click: () => this.view.resetCamera() }, 'Reset view');
    const show = () => {
      slider.min = String(clock.start);
      slider.max = String(clock.end);
      slider.value = String(clock.time);
      slider.setAttribute('aria-valuetext', clockTime(clock.time, clock.end));
      time.textContent = clockTime(clock.time, clock.end);
      play.textContent = clock.playing ? '❚❚' : '▶';
      play.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
      play.title = clock.playing ? 'Pause (space)' : 'Play (space)';
      speed.value = String(clock.speed);
    };
    this.stop = clock.listen(show);
    show();
    return h('div', { class: 'controls' }, play, slider, time, speed, reset, this.traceMenu());
  }

  // Mass centres and joints may leave a trace.
  private tracePoints(): TracePoint[] {
    const { scene, table } = this.poses;
    const times = table.get('t');
    const along = (at: (t: number) => [number, number, number]) => () => Array.from(times, at);
    const points: TracePoint[] = scene.bodies.map((b, i) => ({ label: b.name, path: along((t) => this.poses.position(i, t)) }));
    for (const j of scene.joints)
      if (!isLink(j.type) && !(j.from.body < 0 && j.from.track === undefined && !isSlide(j.type)))
        points.push({ label: `${j.name} (joint)`, path: along((t) => this.poses.endPoint(j.to, t)) });
    return points;
  }

  private applyTraces(): void {
    this.view.setTraces(this.tracePoints().filter((p) => this.chosen.has(p.label)));
  }

  private traceMenu(): HTMLElement {
    const list = h('div', { class: 'menu' });
    const fill = () => {
      list.replaceChildren(
        ...this.tracePoints().map((p) => {
          const box = h('input', { type: 'checkbox' });
          box.checked = this.chosen.has(p.label);
          box.addEventListener('change', () => {
            if (box.checked) this.chosen.add(p.label);
            else this.chosen.delete(p.label);
            this.applyTraces();
          });
          return h('label', {}, box, ` ${p.label}`);
        }),
      );
    };
    const details = h('details', { class: 'traces' }, h('summary', {}, 'Traces'), list);
    details.addEventListener('toggle', () => details.open && fill());
    return details;
  }
}

export const nextSpeed = (speed: number, by: number): number => {
  const i = speeds.findIndex((s) => s >= speed);
  return speeds[Math.min(speeds.length - 1, Math.max(0, i + by))];
};
