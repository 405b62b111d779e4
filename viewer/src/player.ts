// The clock that all runs of a page share.

export const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

export class Player {
  time = 0; // s
  isPlaying = false;
  speed = 1;
  private last = 0; // ms, of the page

  constructor(
    private end: () => number,
    private onChange: () => void,
  ) {}

  seek(time: number): void {
    this.time = Math.min(Math.max(0, time), this.end());
    this.onChange();
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    this.last = 0;
    if (this.isPlaying && this.time >= this.end() - 1e-9) this.time = 0;
    this.onChange();
  }

  pause(): void {
    if (this.isPlaying) this.toggle();
  }

  /** To be called before every picture; `now` in ms. Begins again at the end. */
  advance(now: number): void {
    if (!this.isPlaying) return;
    const passed = this.last > 0 ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = now;
    this.time += passed * this.speed;
    if (this.time > this.end()) this.time = 0;
    this.onChange();
  }

  changeSpeed(by: number): void {
    const i = speeds.findIndex((speed) => speed >= this.speed - 1e-9);
    this.speed = speeds[Math.min(Math.max(0, i + by), speeds.length - 1)];
    this.onChange();
  }
}
