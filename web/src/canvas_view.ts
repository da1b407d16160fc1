// The scene as a line drawing, for browsers without WebGL.
import type { EventEntry, Vector } from './data';
import { type Extent, add, cross, dot, extent, unit } from './extent';
import { type Poses, rotate } from './poses';
import { type Palette, type TracePoint, type View, bodyColour, isLink, pointRadius } from './view';

export class CanvasView implements View {
  readonly element = document.createElement('div');
  private readonly canvas = document.createElement('canvas');
  private readonly size: Extent;
  private readonly observer: ResizeObserver;
  private toCamera: Vector;
  private palette: Palette = { ground: '#fff', ink: '#222', faint: '#999' };
  private traces: { path: Vector[]; colour: string }[] = [];
  private time = 0;

  constructor(
    private readonly poses: Poses,
    private readonly events: EventEntry[],
    private readonly speed: () => number,
  ) {
    this.size = extent(poses);
    this.toCamera = this.size.toCamera;
    this.element.className = 'view';
    const note = document.createElement('p');
    note.className = 'note';
    note.textContent = 'This browser has no WebGL; the motion is shown as a line drawing.';
    this.element.append(this.canvas, note);
    this.observer = new ResizeObserver(() => this.show(this.time));
    this.observer.observe(this.element);
    this.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons === 0) return;
      const right = unit(cross(this.size.up, this.toCamera));
      this.toCamera = unit(add(add(this.toCamera, right, -0.008 * e.movementX), this.size.up, 0.008 * e.movementY));
      this.show(this.time);
    });
  }

  private frame(): { right: Vector; up: Vector; scale: number } {
    const right = unit(cross(this.size.up, this.toCamera));
    const pixels = Math.min(this.element.clientWidth, this.element.clientHeight);
    return { right, up: cross(this.toCamera, right), scale: pixels / (2.2 * this.size.radius) };
  }

  project(p: Vector): [number, number] {
    const { right, up, scale } = this.frame();
    const d = add(p, this.size.center, -1);
    return [this.element.clientWidth / 2 + scale * dot(d, right), this.element.clientHeight / 2 - scale * dot(d, up)];
  }

  show(t: number): void {
    this.time = t;
    const { clientWidth: w, clientHeight: h } = this.element;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const g = this.canvas.getContext('2d');
    if (!g) return;
    g.scale(ratio, ratio);
    g.clearRect(0, 0, w, h);
    this.drawTraces(g);
    this.drawLinks(g);
    this.poses.scene.bodies.forEach((_, i) => this.drawBody(g, i));
    this.drawFlashes(g);
  }

  private polyline(g: CanvasRenderingContext2D, points: Vector[], colour: string, width: number): void {
    g.beginPath();
    for (const p of points) g.lineTo(...this.project(p));
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.stroke();
  }

  private drawTraces(g: CanvasRenderingContext2D): void {
    const rows = this.poses.table.rowAt(this.time) + 1;
    for (const { path, colour } of this.traces) this.polyline(g, path.slice(0, rows), colour, 1);
  }

  private drawLinks(g: CanvasRenderingContext2D): void {
    const { joints, springs, surfaces } = this.poses.scene;
    for (const j of joints) {
      const ends = [this.poses.endPoint(j.from, this.time), this.poses.endPoint(j.to, this.time)];
      if (isLink(j.type)) this.polyline(g, ends, this.palette.ink, 2);
      const [x, y] = this.project(ends[1]);
      g.strokeStyle = this.palette.ink;
      g.strokeRect(x - 2, y - 2, 4, 4);
    }
    g.setLineDash([4, 3]);
    for (const s of springs)
      this.polyline(g, [this.poses.endPoint(s.from, this.time), this.poses.endPoint(s.to, this.time)], this.palette.ink, 2);
    g.setLineDash([]);
    for (const s of surfaces) {
      const n = s.normal;
      const a = s.type === 'wall' ? unit(s.along) : unit(cross(n, Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
      const b = cross(n, a);
      const [u, v] = s.type === 'wall' ? [s.width / 2, s.height / 2] : [1.2 * this.size.radius, 1.2 * this.size.radius];
      const center =
        s.type === 'wall' ? s.center : add(this.size.center, n, -dot(n, add(this.size.center, s.point, -1)));
      const corner = (i: number, k: number) => add(add(center, a, i * u), b, k * v);
      this.polyline(g, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)], this.palette.faint, 1);
    }
  }

  private drawBody(g: CanvasRenderingContext2D, i: number): void {
    const { shape, mass } = this.poses.scene.bodies[i];
    const p = this.poses.position(i, this.time);
    const q = this.poses.rotation(i, this.time);
    const place = (v: Vector): Vector => add(p, rotate(q, add(v, shape.offset ?? [0, 0, 0])));
    if (shape.type === 'box') {
      const [x, y, z] = shape.size!.map((s) => s / 2);
      for (const k of [-z, z])
        this.polyline(
          g,
          ([[-x, -y, k], [x, -y, k], [x, y, k], [-x, y, k], [-x, -y, k]] as Vector[]).map(place),
          bodyColour(i),
          2,
        );
      for (const [a, b] of [[-x, -y], [x, -y], [x, y], [-x, y]])
        this.polyline(g, [place([a, b, -z]), place([a, b, z])], bodyColour(i), 2);
      return;
    }
    if (shape.type === 'cylinder' || shape.type === 'capsule') {
      const h = shape.height! / 2;
      g.lineCap = 'round';
      this.polyline(g, [place([0, 0, -h]), place([0, 0, h])], bodyColour(i), 2 * shape.radius! * this.frame().scale);
      g.lineCap = 'butt';
      return;
    }
    if (shape.type === 'hull') {
      for (const v of shape.points!) this.polyline(g, [p, place(v)], bodyColour(i), 1);
      return;
    }
    const heaviest = Math.max(...this.poses.scene.bodies.map((b) => b.mass));
    const radius = shape.type === 'sphere' ? shape.radius! : pointRadius(mass, heaviest, this.size.radius);
    g.beginPath();
    g.arc(...this.project(place([0, 0, 0])), radius * this.frame().scale, 0, 2 * Math.PI);
    g.fillStyle = bodyColour(i);
    g.fill();
  }

  private drawFlashes(g: CanvasRenderingContext2D): void {
    for (const e of this.events) {
      const age = (this.time - e.time) / (0.35 * this.speed());
      if (e.kind !== 'impact' || !e.point || age < 0 || age >= 1) continue;
      g.globalAlpha = 1 - age;
      g.beginPath();
      g.arc(...this.project(e.point), 6 + 14 * age, 0, 2 * Math.PI);
      g.fillStyle = '#ffc400';
      g.fill();
      g.globalAlpha = 1;
    }
  }

  setTraces(chosen: TracePoint[]): void {
    this.traces = chosen.map((c, i) => ({ path: c.path(), colour: bodyColour(i + 1) }));
    this.show(this.time);
  }
  setPalette(palette: Palette): void {
    this.palette = palette;
    this.show(this.time);
  }
  resetCamera(): void {
    this.toCamera = this.size.toCamera;
    this.show(this.time);
  }
  drawnPosition(body: number): Vector {
    return this.poses.position(body, this.time);
  }
  dispose(): void {
    this.observer.disconnect();
    this.element.remove();
  }
}
