// Light and dark: as the system has it until the viewer chooses.
import { h } from './dom';
import { Listeners } from './listeners';
import type { Palette } from './view';

const order = ['auto', 'light', 'dark'] as const;

export class Theme {
  private chosen: (typeof order)[number] = 'auto';
  private readonly listeners = new Listeners();

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.tell());
  }
  listen(listener: () => void): () => void {
    return this.listeners.add(listener);
  }
  private tell(): void {
    this.listeners.tell();
  }

  get palette(): Palette {
    const style = getComputedStyle(document.documentElement);
    const get = (name: string) => style.getPropertyValue(name).trim();
    return { ground: get('--ground'), ink: get('--ink'), faint: get('--faint') };
  }

  button(): HTMLElement {
    const b = h('button', { class: 'theme', title: 'Light or dark' }, 'auto');
    b.addEventListener('click', () => {
      this.chosen = order[(order.indexOf(this.chosen) + 1) % order.length];
      b.textContent = this.chosen;
      if (this.chosen === 'auto') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = this.chosen;
      this.tell();
    });
    return b;
  }
}
