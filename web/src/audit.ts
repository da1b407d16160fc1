// The audit of the run, and what each number means.
import type { Summary, Table } from './data';
import { h, table } from './dom';
import { number, partsIn } from './format';

export type Verdict = 'good' | 'fair' | 'poor';

export interface Finding {
  name: string;
  value: string;
  verdict: Verdict;
  words: string;
}

const grade = (ratio: number, good: number, fair: number): Verdict =>
  ratio <= good ? 'good' : ratio <= fair ? 'fair' : 'poor';

// Largest size a channel reaches over all rows of the run.
function largest(table_: Table, names: string[]): number {
  let most = 0;
  for (const n of names)
    if (table_.has(n)) {
      const c = table_.describe(n);
      most = Math.max(most, Math.abs(c.min ?? 0), Math.abs(c.max ?? 0));
    }
  return most;
}

function outcome(s: Summary): Finding {
  const words: Record<string, string> = {
    completed: 'The run reached its end.',
    'stopped by event': 'An event of the model ended the run, as it asked.',
  };
  const why = [s.subject, s.reason].filter(Boolean).join(': ');
  return {
    name: 'outcome',
    value: `${s.outcome} at ${number(s.time, 8)} s`,
    verdict: s.partial ? 'poor' : 'good',
    words: words[s.outcome] ?? `The run ended early; everything up to this time is kept and valid. ${why}`,
  };
}

// What all of the findings together say.
function judgement(s: Summary): Finding[] {
  if (!s.verdict) return [];
  const { grade: said, reasons } = s.verdict;
  return [
    {
      name: 'verdict',
      value: said,
      verdict: said === 'trusted' ? 'good' : said === 'look' ? 'fair' : 'poor',
      words: reasons.length > 0 ? `${reasons.join('; ')}.` : 'Nothing speaks against this result.',
    },
  ];
}

function penetration(s: Summary): Finding[] {
  if (s.penetration === undefined) return [];
  const at = s.penetration_at;
  return [
    {
      name: 'penetration',
      value: `${number(s.penetration, 3)} m`,
      verdict: grade(s.penetration, 1e-9, 1e-4),
      words: `Deepest overlap of what may touch, measured apart from the contacts themselves${at ? `: ${at.what} at ${number(at.time, 4)} s` : ''}.`,
    },
  ];
}

function undeclared(s: Summary): string[] {
  return (s.undeclared_overlaps ?? []).map(
    (o) =>
      `'${o.bodies[0]}' and '${o.bodies[1]}' overlap by ${number(o.depth, 3)} m at ${number(o.time, 4)} s; no contact is declared.`,
  );
}

// Models given as equations have no bodies: their numbers are in the units they are written in.
const isEquations = (t: Table): boolean => !t.has('energy.kinetic');

// Whether the drift is small can be judged only by what the energy is worth at its largest.
function watchedEnergy(s: Summary, t: Table): Finding[] {
  const scale = Math.max(largest(t, ['energy']), Math.abs(s.energy!.initial));
  const verdict = grade(s.energy!.max_drift, 1e-9 * Math.max(scale, 1), 1e-4 * Math.max(scale, 1));
  return [
    {
      name: 'energy drift',
      value: number(s.energy!.max_drift, 3),
      verdict,
      words: `Largest change of what the model calls energy, ${number(s.energy!.initial, 8)} at the start and ${number(s.energy!.final, 8)} at the end.`,
    },
  ];
}

function energy(s: Summary, t: Table): Finding[] {
  if (!s.energy) return [];
  if (isEquations(t)) return watchedEnergy(s, t);
  const scale = Math.max(largest(t, ['energy.kinetic']), Math.abs(s.energy.work), Math.abs(s.energy.dissipated));
  const ratio = scale > 0 ? s.energy.max_drift / scale : 0;
  const verdict = grade(ratio, 1e-6, 1e-3);
  const advice = {
    good: 'the motion neither gains nor loses energy that it should not.',
    fair: 'visible in long runs; a smaller step or tolerance reduces it.',
    poor: 'too much to trust details; take a smaller step or tolerance.',
  }[verdict];
  const rows: Finding[] = [
    {
      name: 'energy drift',
      value: `${number(s.energy.max_drift, 3)} J`,
      verdict,
      words: `Energy that appeared or vanished without a cause: ${partsIn(ratio)} of what moves: ${advice}`,
    },
    {
      name: 'energy',
      value: `${number(s.energy.final, 8)} J`,
      verdict: 'good',
      words: `At the end; ${number(s.energy.initial, 8)} J at the start.`,
    },
  ];
  if (s.energy.work !== 0 || s.energy.dissipated !== 0)
    rows.push({
      name: 'work and losses',
      value: `${number(s.energy.work, 6)} J, ${number(s.energy.dissipated, 6)} J`,
      verdict: 'good',
      words: 'Put in by applied forces and driven joints; taken out by dampers, drag, friction and impacts.',
    });
  return rows;
}

function violation(s: Summary, t: Table): Finding[] {
  if (!s.violation) return [];
  const position = grade(s.violation.position, 1e-9, 1e-4);
  const speed = Math.max(1, largest(t, t.channels().filter((c) => /\.v[xyz]$/.test(c))));
  const velocity = grade(s.violation.velocity / speed, 1e-8, 1e-4);
  const exact = 'as exact as numbers in a computer are.';
  if (isEquations(t))
    return [
      {
        name: 'constraints',
        value: number(s.violation.position, 3),
        verdict: position,
        words: `Largest violation of the algebraic equations, over all steps: ${{ good: exact, fair: 'small.', poor: 'it can be seen.' }[position]}`,
      },
      {
        name: 'their rates',
        value: number(s.violation.velocity, 3),
        verdict: velocity,
        words: 'Largest violation of their first derivatives, over all steps.',
      },
    ];
  const said = { good: exact, fair: 'small.', poor: 'parts come apart visibly.' };
  return [
    {
      name: 'joints, position',
      value: number(s.violation.position, 3),
      verdict: position,
      words: `Farthest any joint came apart (m, rad), over all steps: ${said[position]}`,
    },
    {
      name: 'joints, velocity',
      value: number(s.violation.velocity, 3),
      verdict: velocity,
      words: 'Fastest any joint was coming apart (m/s, rad/s), over all steps.',
    },
  ];
}

function error(s: Summary, t: Table): Finding {
  const equations = isEquations(t);
  if (!s.error)
    return {
      name: 'estimated error',
      value: 'not asked for',
      verdict: 'fair',
      words: `How far ${equations ? 'unknowns' : 'positions'} may be off; run with --error to have it estimated by a finer run.`,
    };
  return {
    name: 'estimated error',
    value: equations ? number(s.error.max, 3) : `${number(s.error.max, 3)} m`,
    verdict: grade(s.error.max, 1e-4, 1e-2),
    words: `${equations ? 'Most that any unknown is off' : 'Farthest any body is from where it should be'}, at any output point, judged against ${s.error.against}.`,
  };
}

export function findings(s: Summary, t: Table): Finding[] {
  return [...judgement(s), outcome(s), ...energy(s, t), ...violation(s, t), ...penetration(s), error(s, t)];
}

export function auditSection(s: Summary, t: Table): HTMLElement {
  const rows = findings(s, t).map((f) => [
    h('span', { class: `verdict ${f.verdict}`, title: f.verdict }, f.name),
    f.value,
    f.words,
  ]);
  const notes = [...s.messages, ...undeclared(s), ...s.warnings.map((w) => `Warning: ${w}`)];
  return h(
    'section',
    { id: 'audit', 'aria-label': 'Audit' },
    h('h2', {}, 'Audit'),
    table(['', 'value', 'meaning'], rows),
    ...notes.map((n) => h('p', { class: 'note' }, n)),
  );
}
