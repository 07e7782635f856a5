import { unavailable } from '../../core/errors.js';

/** Jobs with more pixels than this, decoded plus encoded, count as large. */
const MUCH = 16_000_000;

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * Limits concurrent image jobs, weighted by pixels (media.md 7.2).
 * Large jobs leave one slot and half of the queue to small jobs. All running large jobs together may have at most
 * `pixels`.
 */
export class ImageSlots {
  private readonly queue: Waiting[] = [];
  private running = 0;
  private runningMuch = 0;
  private pixels = 0;

  constructor(
    private readonly slots: number,
    private readonly places: number,
    private readonly maxPixels: number,
  ) {}

  get atWork(): number {
    return this.running;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Waits for a slot.
   * @throws Refusal SERVICE_UNAVAILABLE if the queue is full, and the reason of `signal`
   */
  async enter(weight: number, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted();
    if (this.running < this.slots && this.isNext(weight)) this.begin(weight);
    else {
      const alike = weight > MUCH ? this.waitingMuch * 2 : this.queue.length;
      if (alike >= this.places) throw unavailable(1);
      await this.wait(weight, signal);
    }
    return new Place(this, weight);
  }

  private get waitingMuch(): number {
    return this.queue.filter(({ weight }) => weight > MUCH).length;
  }

  /** True if the job may start now. A large job does not overtake other large jobs. */
  private isNext(weight: number): boolean {
    return weight <= MUCH || (this.waitingMuch === 0 && this.admits(weight));
  }

  private admits(weight: number): boolean {
    if (weight <= MUCH) return true;
    return this.runningMuch < this.slots - 1 && (this.pixels === 0 || this.pixels + weight <= this.maxPixels);
  }

  private wait(weight: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
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
    if (weight <= MUCH) return;
    this.runningMuch++;
    this.pixels += weight;
  }

  /** True if a running job may continue in its slot now that its weight is known. */
  reweigh(weight: number): boolean {
    if (!this.isNext(weight)) return false;
    this.add(weight);
    return true;
  }

  leave(weight: number): void {
    this.running--;
    if (weight > MUCH) {
      this.runningMuch--;
      this.pixels -= weight;
    }
    for (let at = 0; at < this.queue.length && this.running < this.slots; ) {
      const waiting = this.queue[at] as Waiting;
      if (this.admits(waiting.weight)) {
        this.queue.splice(at, 1);
        this.begin(waiting.weight);
        waiting.begin();
      } else at++;
    }
  }
}

/** A slot in use until `leave`. */
export class Place {
  private isLeft = false;

  constructor(
    private readonly slots: ImageSlots,
    private weight: number,
  ) {}

  /** True if the job may continue in this slot with this weight. */
  bears(weight: number): boolean {
    if (!this.slots.reweigh(weight)) return false;
    this.weight = weight;
    return true;
  }

  leave(): void {
    if (this.isLeft) return;
    this.isLeft = true;
    this.slots.leave(this.weight);
  }
}
