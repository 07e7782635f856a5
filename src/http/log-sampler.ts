/** Further lines in a window are only counted. */
const LINES_PER_SECOND = 50;
const WINDOW_MS = 1000;

/** Limits log lines of one kind to 50 per second, and reports how many lines were left out, by error code. */
export class LogSampler {
  private admitted = 0;
  private readonly leftOut = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly report: (leftOut: Readonly<Record<string, number>>) => void) {}

  /** Whether a line may be written. Otherwise it is counted. */
  admits(code: string): boolean {
    this.timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    if (this.admitted < LINES_PER_SECOND) {
      this.admitted++;
      return true;
    }
    this.leftOut.set(code, (this.leftOut.get(code) ?? 0) + 1);
    return false;
  }

  /** Reports the lines that were left out, and starts again. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.admitted = 0;
    if (this.leftOut.size === 0) return;
    this.report(Object.fromEntries(this.leftOut));
    this.leftOut.clear();
  }
}
