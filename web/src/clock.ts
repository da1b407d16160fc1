// The time the whole page shows. It runs when playing and tells everyone who listens.
import { Listeners } from './listeners';

export class Clock {
  time: number;
  playing = false;
  speed = 1;
  private readonly listeners = new Listeners();
  private last = 0;

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  listen(listener: () => void): () => void {
    return this.listeners.add(listener);
  }
  private tell(): void {
    this.listeners.tell();
  }

  seek(t: number): void {
    this.time = Math.min(this.end, Math.max(this.start, t));
    this.tell();
  }
  setRange(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.seek(this.time);
  }
  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }
  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.last = 0;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    if (this.last > 0) this.time += (this.speed * Math.min(now - this.last, 200)) / 1000;
    this.last = now;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
    }
    this.tell();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}
