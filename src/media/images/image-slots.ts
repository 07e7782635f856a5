import { unavailable } from '../../core/errors.js';

/** Jobs with more pixels than this, decoded plus encoded, count as large. */
const LARGE_JOB_PIXELS = 16_000_000;

interface QueuedJob {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * Limits concurrent image jobs, weighted by pixels (media.md 7.2).
 * Large jobs leave one slot and half of the queue to small jobs. All running large jobs together may have at most
 * `pixels`.
 */
export class ImageSlots {
  private readonly queue: QueuedJob[] = [];
  private running = 0;
  private runningLarge = 0;
  private pixels = 0;

  constructor(
    private readonly slots: number,
    private readonly maxQueued: number,
    private readonly maxPixels: number,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Waits for a slot.
   * @throws ApiError SERVICE_UNAVAILABLE if the queue is full, and the reason of `signal`
   */
  async acquire(weight: number, signal: AbortSignal): Promise<SlotLease> {
    signal.throwIfAborted();
    if (this.running < this.slots && this.isNext(weight)) this.begin(weight);
    else {
      const alike = weight > LARGE_JOB_PIXELS ? this.waitingLarge * 2 : this.queue.length;
      if (alike >= this.maxQueued) throw unavailable(1);
      await this.wait(weight, signal);
    }
    return new SlotLease(this, weight);
  }

  private get waitingLarge(): number {
    return this.queue.filter(({ weight }) => weight > LARGE_JOB_PIXELS).length;
  }

  /** True if the job may start now. A large job does not overtake other large jobs. */
  private isNext(weight: number): boolean {
    return weight <= LARGE_JOB_PIXELS || (this.waitingLarge === 0 && this.admits(weight));
  }

  private admits(weight: number): boolean {
    if (weight <= LARGE_JOB_PIXELS) return true;
    return this.runningLarge < this.slots - 1 && (this.pixels === 0 || this.pixels + weight <= this.maxPixels);
  }

  private wait(weight: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: QueuedJob = {
        weight,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(waiting);
    });
  }

  private begin(weight: number): void {
    this.running++;
    this.add(weight);
  }

  private add(weight: number): void {
    if (weight <= LARGE_JOB_PIXELS) return;
    this.runningLarge++;
    this.pixels += weight;
  }

  /** True if a running job may continue in its slot now that its weight is known. */
  updateWeight(weight: number): boolean {
    if (!this.isNext(weight)) return false;
    this.add(weight);
    return true;
  }

  release(weight: number): void {
    this.running--;
    if (weight > LARGE_JOB_PIXELS) {
      this.runningLarge--;
      this.pixels -= weight;
    }
    for (let at = 0; at < this.queue.length && this.running < this.slots; ) {
      const waiting = this.queue[at] as QueuedJob;
      if (this.admits(waiting.weight)) {
        this.queue.splice(at, 1);
        this.begin(waiting.weight);
        waiting.begin();
      } else at++;
    }
  }
}

/** A slot in use until `leave`. */
export class SlotLease {
  private isReleased = false;

  constructor(
    private readonly slots: ImageSlots,
    private weight: number,
  ) {}

  /** True if the job may continue in this slot with this weight. */
  fits(weight: number): boolean {
    if (!this.slots.updateWeight(weight)) return false;
    this.weight = weight;
    return true;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.slots.release(this.weight);
  }
}
