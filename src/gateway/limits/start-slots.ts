interface Waiting {
  readonly until: number;
  admit(isAdmitted: boolean): void;
}

/** Lets a bounded number of session starts run at once; the others wait their turn, and not for ever. */
export class StartSlots {
  private running = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly slots: number,
    private readonly waitMs: number,
  ) {}

  /** True: the start may run, and must be followed by `leave`. False: no slot became free in time. */
  enter(now: number): true | Promise<boolean> {
    if (this.running < this.slots) {
      this.running++;
      return true;
    }
    return new Promise((admit) => this.waiting.push({ until: now + this.waitMs, admit }));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next.admit(true);
    else this.running--;
  }

  tick(now: number): void {
    while (this.waiting[0] && this.waiting[0].until <= now) this.waiting.shift()?.admit(false);
  }
}
