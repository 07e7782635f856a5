import { type GatewayEvent, isPresence, positionOf, type Ref } from './event.js';

/**
 * The replayable events of one account. Each event is stored once for all sessions, within one byte budget.
 * The oldest events are evicted first.
 */
export class Payloads {
  private readonly events = new Map<Ref, GatewayEvent>();
  /** Events that have been written to the shared store. */
  private readonly stored = new Set<Ref>();
  private totalBytes = 0;

  constructor(private readonly budget: number) {}

  /** Total size of the stored data in bytes. */
  get bytes(): number {
    return this.totalBytes;
  }

  get(ref: Ref): GatewayEvent | undefined {
    return this.events.get(ref);
  }

  put(ref: Ref, event: GatewayEvent): void {
    if (this.events.has(ref)) return;
    this.events.set(ref, event);
    this.totalBytes += event.bytes;
    for (const [oldest] of this.events) {
      if (this.totalBytes <= this.budget) return;
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
   * Deletes events before the position that all sessions have passed, and session lists that are not in `lists`.
   * Lists need their own check, because any number of them can share one position.
   */
  trim(place: number, lists: ReadonlySet<Ref>): void {
    for (const ref of this.events.keys()) {
      if (positionOf(ref) < place || (isPresence(ref) && !lists.has(ref))) this.drop(ref);
    }
  }

  private drop(ref: Ref): void {
    this.totalBytes -= this.events.get(ref)?.bytes ?? 0;
    this.events.delete(ref);
    this.stored.delete(ref);
  }
}
