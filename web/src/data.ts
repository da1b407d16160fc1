// What a page carries (plumb/report/page.cpp writes it) and the numbers in it.

export interface End {
  body: number; // -1: the ground
  at?: [number, number, number]; // body axes from the mass centre; world axes on the ground
  track?: number; // first of three columns, for an anchor that moves by itself
}

export type Vector = [number, number, number];

export interface Shape {
  type: 'point' | 'box' | 'sphere' | 'cylinder' | 'capsule' | 'hull';
  size?: Vector;
  radius?: number;
  height?: number;
  points?: Vector[];
  offset?: Vector; // of the shape from the mass centre, where the two differ
  equivalent?: boolean; // a box that stands for a body known by its inertia
  axes?: [number, number, number, number];
}

export interface SceneData {
  gravity: Vector;
  bodies: { name: string; mass: number; shape: Shape }[];
  joints: { name: string; type: string; from: End; to: End; axis?: Vector }[];
  springs: { name: string; from: End; to: End; length: number }[];
  surfaces: (
    | { name: string; type: 'plane'; point: Vector; normal: Vector }
    | { name: string; type: 'wall'; center: Vector; normal: Vector; along: Vector; width: number; height: number }
  )[];
}

export interface EventEntry {
  name: string;
  kind: 'event' | 'impact' | 'singular';
  joints?: string[]; // that share a singular position
  angular?: boolean; // the limit of an angle: rad/s and N m s
  time: number;
  direction?: string;
  bodies?: string[];
  point?: Vector;
  normal_velocity?: number;
  normal_velocity_after?: number;
  impulse?: number;
  energy_lost?: number;
  at_rest_from?: number;
  how?: 'jam' | 'window'; // stopped by friction alone; many at once, taken together
  until?: number; // of a window
}

export interface Summary {
  outcome: string;
  partial?: boolean;
  subject?: string;
  reason?: string;
  time: number;
  title: string;
  description?: string;
  method: string;
  tolerance?: number;
  step?: number;
  duration: number;
  steps: number;
  rejected: number;
  evaluations: number;
  cpu_seconds: number;
  energy?: { initial: number; final: number; max_drift: number; work: number; dissipated: number };
  violation?: { position: number; velocity: number; acceleration: number };
  error?: { max: number; against: string };
  verdict?: { grade: 'trusted' | 'look' | 'do not use'; reasons: string[] };
  penetration?: number; // present where bodies may touch
  penetration_at?: { what: string; time: number };
  undeclared_overlaps?: { bodies: [string, string]; depth: number; time: number }[];
  events: EventEntry[];
  events_total: number;
  messages: string[];
  warnings: string[];
  version: string;
  model_hash: string;
  set?: [string, string][];
}

export interface ColumnData {
  name: string;
  unit: string;
  min: number | null; // over all rows of the run, shown or not
  max: number | null;
  constant?: number;
}

export interface PlotData {
  title: string;
  channels: string[];
  x: string;
  log: boolean;
}

export interface Slider {
  name: string;
  label: string;
  unit: string;
  value: number;
  min: number;
  max: number;
}

export interface PageData {
  format: number;
  version: string;
  summary: Summary;
  scene: SceneData | null;
  table: { rows: number; columns: ColumnData[]; data: string };
  rows_total: number;
  columns_total: number;
  full_data?: string;
  plots: PlotData[];
  derivation?: string; // of a model given as equations: markup by plumb, all texts escaped
  model: string;
  live?: { token: string; parameters: Slider[]; initial: Slider[] };
}

export const supportedFormat = 1;

// All numbers of the page, by column.
export class Table {
  readonly rows: number;
  private readonly byName = new Map<string, number>();

  constructor(
    readonly columns: ColumnData[],
    private readonly values: Float64Array[],
  ) {
    this.rows = values.length > 0 ? values[0].length : 0;
    columns.forEach((c, i) => {
      if (c.name !== '') this.byName.set(c.name, i);
    });
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }
  index(name: string): number {
    const i = this.byName.get(name);
    if (i === undefined) throw new Error(`there is no channel ${name}`);
    return i;
  }
  column(index: number): Float64Array {
    return this.values[index];
  }
  get(name: string): Float64Array {
    return this.values[this.index(name)];
  }
  describe(name: string): ColumnData {
    return this.columns[this.index(name)];
  }
  // Channels a user may choose: all that have a name, without time.
  channels(): string[] {
    return this.columns.map((c) => c.name).filter((n) => n !== '' && n !== 't');
  }

  // The last row at or before time t.
  rowAt(t: number): number {
    const times = this.get('t');
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  csv(): string {
    const named = this.columns.map((c, i) => ({ c, i })).filter(({ c }) => c.name !== '');
    const lines = [named.map(({ c }) => c.name).join(',')];
    for (let r = 0; r < this.rows; ++r) lines.push(named.map(({ i }) => String(this.values[i][r])).join(','));
    return lines.join('\n') + '\n';
  }
}

// Bytes sorted by their place in the number, column after column, to columns of numbers.
export function unpack(bytes: Uint8Array, rows: number, columns: ColumnData[]): Float64Array[] {
  let at = 0;
  return columns.map((c) => {
    if (c.constant !== undefined) return new Float64Array(rows).fill(c.constant);
    const out = new Uint8Array(8 * rows);
    for (let byte = 0; byte < 8; ++byte) for (let r = 0; r < rows; ++r) out[8 * r + byte] = bytes[at++];
    const view = new DataView(out.buffer);
    return Float64Array.from({ length: rows }, (_, r) => view.getFloat64(8 * r, true));
  });
}

async function inflate(text: string): Promise<Uint8Array> {
  const compressed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function decode(table: PageData['table']): Promise<Table> {
  const bytes = await inflate(table.data);
  return new Table(table.columns, unpack(bytes, table.rows, table.columns));
}
