// How large the motion is and from where it is best seen.
import type { Shape, Vector } from './data';
import type { Poses } from './poses';

export const add = (a: Vector, b: Vector, s = 1): Vector => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vector): number => Math.hypot(...a);
export const unit = (a: Vector): Vector => {
  const n = length(a);
  return n > 0 ? [a[0] / n, a[1] / n, a[2] / n] : [0, 0, 1];
};

// Radius of a sphere about the mass centre that holds the shape.
export function reach(shape: Shape): number {
  return ownReach(shape) + (shape.offset ? length(shape.offset) : 0);
}

function ownReach(shape: Shape): number {
  switch (shape.type) {
    case 'sphere':
      return shape.radius!;
    case 'box':
      return length(shape.size!) / 2;
    case 'cylinder':
      return Math.hypot(shape.radius!, shape.height! / 2);
    case 'capsule':
      return shape.radius! + shape.height! / 2;
    case 'hull':
      return Math.max(...shape.points!.map(length));
    default:
      return 0;
  }
}

export interface Extent {
  low: Vector;
  high: Vector;
  center: Vector;
  radius: number;
  up: Vector;
  right: Vector;
  toCamera: Vector; // from the centre
  spots: { at: Vector; reach: number }[]; // what should be seen
}

export function extent(poses: Poses): Extent {
  const low: Vector = [Infinity, Infinity, Infinity];
  const high: Vector = [-Infinity, -Infinity, -Infinity];
  const reachLow = [...low] as Vector; // of mass centres alone
  const reachHigh = [...high] as Vector;
  const spots: Extent['spots'] = [];
  const include = (p: Vector, r: number) => {
    if (!p.every(Number.isFinite)) return;
    spots.push({ at: p, reach: r });
    for (let k = 0; k < 3; ++k) {
      low[k] = Math.min(low[k], p[k] - r);
      high[k] = Math.max(high[k], p[k] + r);
    }
  };
  const { scene } = poses;
  for (const t of poses.sampleTimes(300)) {
    scene.bodies.forEach((b, i) => {
      const p = poses.position(i, t);
      include(p, reach(b.shape));
      for (let k = 0; k < 3; ++k) {
        reachLow[k] = Math.min(reachLow[k], p[k]);
        reachHigh[k] = Math.max(reachHigh[k], p[k]);
      }
    });
    for (const link of [...scene.joints, ...scene.springs])
      for (const e of [link.from, link.to]) if (e.body < 0) include(poses.endPoint(e, t), 0);
  }
  for (const s of scene.surfaces) if (s.type === 'wall') include(s.center, Math.hypot(s.width, s.height) / 2);
  const center = low.map((l, k) => (l + high[k]) / 2) as Vector;
  const radius = Math.max(length(add(high, low, -1)) / 2, 1e-6);
  return { low, high, center, radius, spots, ...viewpoint(scene.gravity, reachLow, reachHigh, radius) };
}

// A motion in a plane is seen from the front, a little from the side; any other from above one corner.
function viewpoint(gravity: Vector, low: Vector, high: Vector, radius: number) {
  let up: Vector = length(gravity) > 0 ? unit([-gravity[0], -gravity[1], -gravity[2]]) : [0, 0, 1];
  const ranges = low.map((l, k) => high[k] - l);
  const flat = ranges.map((r) => r < 1e-6 * radius);
  const across = flat.filter(Boolean).length === 1 ? flat.indexOf(true) : flat.filter(Boolean).length === 2 ? -2 : -1;
  let front: Vector;
  if (across >= 0) {
    front = [0, 0, 0];
    front[across] = 1;
    if (Math.abs(dot(front, up)) > 0.9) up = across === 1 ? [0, 0, 1] : [0, 1, 0];
  } else {
    front = Math.abs(up[1]) < 0.9 ? [0, -1, 0] : [0, 0, 1];
  }
  // What points to the right should be a positive axis.
  let right = unit(cross(up, front));
  if (right[0] + right[1] + right[2] < 0) {
    front = [-front[0], -front[1], -front[2]];
    right = unit(cross(up, front));
  }
  const [side, above] = across >= 0 ? [0.22, 0.16] : [0.5, 0.38];
  return { up, right, toCamera: unit(add(add(front, right, side), up, above)) };
}
