interface QueuedStart {
  readonly until: number;
  admit(isAdmitted: boolean): void;
}

/** Limits how many session starts run at the same time. Further starts wait in a queue until a timeout. */
export class StartSlots {
  private running = 0;
  private waiting: QueuedStart[] = [];

  constructor(
    private readonly slots: number,
    private readonly waitMs: number,
  ) {}

  /**
   * Acquires a slot. Resolves to true if the start may run; call `leave` afterwards. Resolves to false after the
   * timeout.
   */
  acquire(now: number): true | Promise<boolean> {
    if (this.running < this.slots) {
      this.running++;
      return true;
    }
    return new Promise((admit) => this.waiting.push({ until: now + this.waitMs, admit }));
  }

  release(): void {
    const next = this.waiting.shift();
    if (next) next.admit(true);
    else this.running--;
  }

  tick(now: number): void {
    while (this.waiting[0] && this.waiting[0].until <= now) this.waiting.shift()?.admit(false);
  }
}
