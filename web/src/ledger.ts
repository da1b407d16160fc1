// Impacts and events; choosing one shows its instant.
import type { EventEntry, Summary } from './data';
import { h, table } from './dom';
import { number } from './format';

function time(e: EventEntry, seek: (t: number) => void): HTMLElement {
  return h('button', { class: 'link', title: 'Show this instant', click: () => seek(e.time) }, `${number(e.time, 12)} s`);
}

export function ledgerSection(s: Summary, seek: (t: number) => void): HTMLElement | null {
  if (s.events.length === 0) return null;
  const impacts = s.events.filter((e) => e.kind === 'impact');
  const events = s.events.filter((e) => e.kind !== 'impact');
  const section = h('section', { id: 'ledger', 'aria-label': 'Impacts and events' });
  if (impacts.length > 0) {
    const lost = impacts.reduce((sum, e) => sum + (e.energy_lost ?? 0), 0);
    section.append(
      h('h2', {}, 'Impacts'),
      h('p', {}, `${impacts.length} impacts took ${number(lost, 6)} J. Velocities are along the normal; negative is approaching.`),
      table(
        ['#', 'time', 'contact', 'bodies', 'before', 'after', 'impulse', 'energy lost'],
        impacts.map((e, i) => [
          String(i + 1),
          time(e, seek),
          e.how ? `${e.name} (${e.how})` : e.name,
          (e.bodies ?? []).join(', '),
          `${number(e.normal_velocity, 9)} ${e.angular ? 'rad/s' : 'm/s'}`,
          `${number(e.normal_velocity_after, 9)} ${e.angular ? 'rad/s' : 'm/s'}`,
          `${number(e.impulse, 9)} ${e.angular ? 'N m s' : 'N s'}`,
          `${number(e.energy_lost, 9)} J`,
        ]),
        [0, 4, 5, 6, 7],
      ),
    );
    const rest = impacts.find((e) => (e.at_rest_from ?? -1) >= 0);
    if (rest)
      section.append(h('p', { class: 'note' }, `Ever smaller bounces end at ${number(rest.at_rest_from, 12)} s (${rest.name}).`));
    if (impacts.some((e) => e.how === 'window'))
      section.append(
        h('p', { class: 'note' }, 'Window: contacts changed too fast to be followed one by one; their impulses and losses over a short stretch of time are added up.'),
      );
    if (impacts.some((e) => e.how === 'jam'))
      section.append(h('p', { class: 'note' }, 'Jam: friction pressed a contact the harder the more it slid, and stopped it at once.'));
  }
  if (events.length > 0)
    section.append(
      h('h2', {}, 'Events'),
      table(
        ['event', 'time', 'direction, or joints'],
        events.map((e) => [e.name, time(e, seek), e.direction ?? (e.joints ?? []).join(', ')]),
      ),
    );
  if (s.events_total > s.events.length)
    section.append(h('p', { class: 'note' }, `The first ${s.events.length} of ${s.events_total} entries are shown.`));
  return section;
}
