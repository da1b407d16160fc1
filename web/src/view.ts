// What every way of drawing the scene offers.
import type { Vector } from './data';

export interface Palette {
  ground: string;
  ink: string;
  faint: string;
}

export interface TracePoint {
  label: string;
  path: () => Vector[]; // one point for each row of the table
}

export interface View {
  readonly element: HTMLElement;
  show(t: number): void;
  setTraces(chosen: TracePoint[]): void;
  setPalette(palette: Palette): void;
  resetCamera(): void;
  // Where a point of the world appears, in CSS pixels from the upper left corner of the element.
  project(p: Vector): [number, number];
  // Where the drawn body is, taken from what is drawn.
  drawnPosition(body: number): Vector;
  dispose(): void;
}

export const bodyColours = ['#1f77b4', '#d95f02', '#1b9e77', '#c23b8f', '#7570b3', '#b8860b', '#5c9e1f', '#8c564b'];
export const bodyColour = (i: number): string => bodyColours[i % bodyColours.length];

// Radius at which a point mass is drawn.
export function pointRadius(mass: number, heaviest: number, radius: number): number {
  return radius * Math.max(0.02, 0.045 * Math.cbrt(mass / heaviest));
}

// Joints drawn as the line between their ends, and those drawn as a rail.
export const isLink = (type: string): boolean => ['rod', 'rope', 'distance'].includes(type);
export const isSlide = (type: string): boolean =>
  ['prismatic', 'cylindrical', 'screw', 'point-on-line', 'in-line'].includes(type);
