// Sliders of a model that is served: what they say is sent, what comes back is shown.
import type { PageData, Slider } from './data';
import { h } from './dom';
import { number } from './format';

export class LivePanel {
  readonly element: HTMLElement;
  private readonly values = new Map<string, number>();
  private running = false; // as aria-busy of the element says
  private waiting = false;
  private readonly status = h('p', { class: 'note', role: 'status' });

  constructor(
    private readonly live: NonNullable<PageData['live']>,
    private readonly show: (data: PageData) => Promise<void>,
  ) {
    const groups: Node[] = [this.group('Parameters', live.parameters, true), this.group('Initial values', live.initial, false)];
    const reset = h('button', { click: () => this.reset() }, 'As in the file');
    this.element = h('section', { id: 'live', 'aria-label': 'Parameters' }, h('h2', {}, 'Try it'), ...groups, reset, this.status);
  }

  private readonly inputs: { slider: Slider; set: (x: number) => void }[] = [];

  private group(title: string, sliders: Slider[], open: boolean): HTMLElement {
    const rows = sliders.map((s) => {
      const range = h('input', { type: 'range', step: 'any', min: String(s.min), max: String(s.max), value: String(s.value), 'aria-label': s.label, 'data-name': s.name });
      const box = h('input', { type: 'number', step: 'any', value: String(s.value), 'aria-label': `${s.label}, exactly` });
      const change = (x: number, from: HTMLInputElement) => {
        if (!Number.isFinite(x)) return;
        if (from !== range) range.value = String(x);
        if (from !== box) box.value = String(Number(x.toPrecision(6)));
        this.values.set(s.name, Number(from === range ? box.value : x));
        void this.run();
      };
      range.addEventListener('input', () => change(Number(range.value), range));
      box.addEventListener('change', () => change(Number(box.value), box));
      this.inputs.push({ slider: s, set: (x) => ((range.value = String(x)), (box.value = String(x))) });
      return h('div', { class: 'slider' }, h('span', {}, s.label + (s.unit ? ` (${s.unit})` : '')), range, box);
    });
    if (rows.length === 0) return h('p', { class: 'note' }, `${title}: none.`);
    return h('details', { open }, h('summary', {}, title), ...rows);
  }

  private reset(): void {
    this.values.clear();
    for (const { slider, set } of this.inputs) set(slider.value);
    void this.run();
  }

  // One request at a time; what changed meanwhile goes with the next.
  private async run(): Promise<void> {
    if (this.running) {
      this.waiting = true;
      return;
    }
    this.running = true;
    this.element.setAttribute('aria-busy', 'true');
    this.status.textContent = 'computing …';
    try {
      do {
        this.waiting = false;
        const began = performance.now();
        const reply = await fetch('run', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Plumb-Token': this.live.token },
          body: JSON.stringify(Object.fromEntries(this.values)),
        });
        const answer = (await reply.json()) as PageData & { error?: string };
        if (answer.error) this.status.textContent = answer.error;
        else {
          await this.show(answer);
          this.status.textContent = `computed in ${number(performance.now() - began, 3)} ms`;
        }
      } while (this.waiting);
    } catch {
      this.status.textContent = 'plumb serve does not answer any more';
    }
    this.running = false;
    this.element.setAttribute('aria-busy', 'false');
  }
}
