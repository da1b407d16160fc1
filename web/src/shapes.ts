// Geometry of bodies, in body axes about the mass centre. A new shape is one line in `solid`.
import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  EllipseCurve,
  Float32BufferAttribute,
  SphereGeometry,
  Vector3,
} from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';

import type { Shape } from './data';

// Cylinders and capsules lie along z here, along y in three.
export function solid(shape: Shape, least: number): BufferGeometry {
  switch (shape.type) {
    case 'box':
      return new BoxGeometry(...(shape.size!.map((s) => Math.max(s, least)) as [number, number, number]));
    case 'cylinder':
      return new CylinderGeometry(shape.radius, shape.radius, shape.height, 40).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(shape.radius, shape.height, 10, 28).rotateX(Math.PI / 2);
    case 'hull':
      return new ConvexGeometry(shape.points!.map((p) => new Vector3(...p)));
    default:
      return new SphereGeometry(shape.radius ?? least, 32, 20);
  }
}

// Lines on the surface that show how the body is turned: edges, or two great circles.
export function outline(shape: Shape, geometry: BufferGeometry): BufferGeometry {
  if (shape.type !== 'sphere') return new EdgesGeometry(geometry, 30);
  const points: number[] = [];
  const circle = new EllipseCurve(0, 0, shape.radius! * 1.002, shape.radius! * 1.002).getPoints(64);
  for (let i = 0; i + 1 < circle.length; ++i)
    for (const p of [circle[i], circle[i + 1]]) points.push(p.x, p.y, 0);
  for (let i = 0; i + 1 < circle.length; ++i)
    for (const p of [circle[i], circle[i + 1]]) points.push(p.x, 0, p.y);
  const lines = new BufferGeometry();
  lines.setAttribute('position', new Float32BufferAttribute(points, 3));
  return lines;
}
