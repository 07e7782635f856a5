import type { Caller } from './decision.js';

/** A kept admission. */
export interface Kept {
  readonly caller: Caller;
  readonly tags: readonly string[];
  /** The position of the revocations when the request for the decision was sent. */
  readonly since: number;
  /** When it expires, in milliseconds of `performance.now()`. */
  readonly expires: number;
}

/** A bounded cache that evicts the least recently used entry. */
export class Cache {
  /** In the order of the last use. */
  private readonly entries = new Map<string, Kept>();
  private newest: Kept | undefined;

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Kept | undefined {
    const kept = this.entries.get(key);
    if (kept === undefined || kept === this.newest) return kept;
    this.entries.delete(key);
    this.entries.set(key, kept);
    this.newest = kept;
    return kept;
  }

  set(key: string, kept: Kept): void {
    this.entries.delete(key);
    this.entries.set(key, kept);
    this.newest = kept;
    if (this.entries.size <= this.capacity) return;
    const [oldest] = this.entries.keys();
    this.entries.delete(oldest as string);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
