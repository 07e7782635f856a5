import { type GatewayEvent, isPresence, placeOf, type Ref } from './event.js';

/**
 * The events of one account that its sessions may ask for again: each once, whatever the number of sessions, and together
 * within one budget, the oldest evicted first.
 */
export class Payloads {
  private readonly events = new Map<Ref, GatewayEvent>();
  /** What the store of all replicas has been given. */
  private readonly stored = new Set<Ref>();
  private held = 0;

  constructor(private readonly budget: number) {}

  /** Of the data of all of them. */
  get bytes(): number {
    return this.held;
  }

  get(ref: Ref): GatewayEvent | undefined {
    return this.events.get(ref);
  }

  put(ref: Ref, event: GatewayEvent): void {
    if (this.events.has(ref)) return;
    this.events.set(ref, event);
    this.held += event.bytes;
    for (const [oldest] of this.events) {
      if (this.held <= this.budget) return;
      this.drop(oldest);
    }
  }

  isStored(ref: Ref): boolean {
    return this.stored.has(ref);
  }

  markStored(ref: Ref): void {
    if (this.events.has(ref)) this.stored.add(ref);
  }

  /**
   * Forgets what comes before the place that every session has got behind, and lists of sessions but these: without an
   * event, any number of lists stand at one place.
   */
  trim(place: number, lists: ReadonlySet<Ref>): void {
    for (const ref of this.events.keys()) {
      if (placeOf(ref) < place || (isPresence(ref) && !lists.has(ref))) this.drop(ref);
    }
  }

  private drop(ref: Ref): void {
    this.held -= this.events.get(ref)?.bytes ?? 0;
    this.events.delete(ref);
    this.stored.delete(ref);
  }
}
