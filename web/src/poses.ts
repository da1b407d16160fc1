// Where every body and every anchor is at any time, between the rows of the table.
import type { End, SceneData, Table, Vector } from './data';

export type Quaternion = [number, number, number, number]; // w x y z

export function rotate(q: Quaternion, v: Vector): Vector {
  const [w, x, y, z] = q;
  // v + 2 u x (u x v + w v)
  const cx = y * v[2] - z * v[1] + w * v[0];
  const cy = z * v[0] - x * v[2] + w * v[1];
  const cz = x * v[1] - y * v[0] + w * v[2];
  return [v[0] + 2 * (y * cz - z * cy), v[1] + 2 * (z * cx - x * cz), v[2] + 2 * (x * cy - y * cx)];
}

// The shorter way round, at constant speed.
export function slerp(a: Quaternion, b: Quaternion, part: number): Quaternion {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot);
  let wa = 1 - part;
  let wb = part;
  if (angle > 1e-6) {
    wa = Math.sin((1 - part) * angle) / Math.sin(angle);
    wb = Math.sin(part * angle) / Math.sin(angle);
  }
  const q = a.map((v, i) => wa * v + sign * wb * b[i]) as Quaternion;
  const norm = Math.hypot(...q);
  return q.map((v) => v / norm) as Quaternion;
}

interface BodyColumns {
  position: Float64Array[];
  rotation: Float64Array[] | null;
}

export class Poses {
  private readonly bodies: BodyColumns[];
  private readonly times: Float64Array;

  constructor(
    readonly scene: SceneData,
    readonly table: Table,
  ) {
    this.times = table.get('t');
    this.bodies = scene.bodies.map(({ name }) => ({
      position: ['x', 'y', 'z'].map((k) => table.get(`${name}.${k}`)),
      rotation: table.has(`${name}.qw`) ? ['qw', 'qx', 'qy', 'qz'].map((k) => table.get(`${name}.${k}`)) : null,
    }));
  }

  get start(): number {
    return this.times[0];
  }
  get end(): number {
    return this.times[this.times.length - 1];
  }

  private between(t: number): { row: number; next: number; part: number } {
    const row = this.table.rowAt(t);
    const next = Math.min(row + 1, this.times.length - 1);
    const span = this.times[next] - this.times[row];
    return { row, next, part: span > 0 ? Math.min(1, Math.max(0, (t - this.times[row]) / span)) : 0 };
  }

  position(body: number, t: number): Vector {
    const { row, next, part } = this.between(t);
    return this.bodies[body].position.map((c) => c[row] + part * (c[next] - c[row])) as Vector;
  }

  rotation(body: number, t: number): Quaternion {
    const columns = this.bodies[body].rotation;
    if (columns === null) return [1, 0, 0, 0];
    const { row, next, part } = this.between(t);
    const at = (r: number) => columns.map((c) => c[r]) as Quaternion;
    return slerp(at(row), at(next), part);
  }

  endPoint(end: End, t: number): Vector {
    let local: Vector = end.at ?? [0, 0, 0];
    if (end.track !== undefined) {
      const { row, next, part } = this.between(t);
      local = [0, 1, 2].map((k) => {
        const c = this.table.column(end.track! + k);
        return c[row] + part * (c[next] - c[row]);
      }) as Vector;
    }
    if (end.body < 0) return local;
    const p = this.position(end.body, t);
    const r = rotate(this.rotation(end.body, t), local);
    return [p[0] + r[0], p[1] + r[1], p[2] + r[2]];
  }

  // Rows to look at when something about the whole motion is wanted: at most about `count`, first and last included.
  sampleTimes(count: number): number[] {
    const n = this.times.length;
    const every = Math.max(1, Math.ceil(n / count));
    const out: number[] = [];
    for (let r = 0; r < n; r += every) out.push(this.times[r]);
    out.push(this.times[n - 1]);
    return out;
  }
}
