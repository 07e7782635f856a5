import { unavailable } from '../../core/errors.js';

/** More pixels than this, decoded and encoded, are much work. */
const MUCH = 16_000_000;

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * Places for work on images, weighed by its pixels (media.md 7.2). Much work has no more than its share: it leaves a
 * place and half of the queue to small work, and what runs of it has `pixels` together.
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
   * Waits for a place.
   * @throws Refusal SERVICE_UNAVAILABLE when too many wait, and the reason of `signal`
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

  /** Much work does not overtake its like. */
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

  /** Whether work that holds a place may go on in it now that its weight is known. */
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

/** A place that is taken until it is left. */
export class Place {
  private isLeft = false;

  constructor(
    private readonly slots: ImageSlots,
    private weight: number,
  ) {}

  /** Whether the work may go on here although it weighs this much. */
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
