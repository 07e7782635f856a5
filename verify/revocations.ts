import { reaches } from './marks.js';

/** How long a revoked tag is remembered, in milliseconds. No admission is kept for longer. */
export const REMEMBERED_MS = 300_000;
/** Above this number of tags, the oldest ones are forgotten earlier. */
const MOST_TAGS = 200_000;

interface Revocation {
  readonly position: number;
  readonly mark: string | undefined;
  readonly at: number;
}

/**
 * The tags that were revoked in the last five minutes. A *position* counts the messages of the stream that were
 * received. A decision whose request was sent at a position contains every revocation up to this position.
 */
export class Revocations {
  /** In the order in which they were received. */
  private readonly revoked = new Map<string, Revocation>();
  /** Nothing is known about revocations before it. */
  private horizon: { readonly position: number; readonly mark: string | undefined } = { position: 0, mark: undefined };
  private received = 0;
  private last: string | undefined;

  get position(): number {
    return this.received;
  }

  /** Records the mark of the stream. The first one after a restart is the horizon. */
  advance(mark: string): void {
    this.last = mark;
    if (this.horizon.mark === undefined) this.horizon = { ...this.horizon, mark };
  }

  /** Records revoked tags. @param now in milliseconds of `performance.now()` */
  add(tags: readonly string[], now: number): void {
    const revocation = { position: ++this.received, mark: this.last, at: now };
    for (const tag of tags) {
      this.revoked.delete(tag);
      this.revoked.set(tag, revocation);
    }
    for (const [tag, { position, mark, at }] of this.revoked) {
      if (now - at < REMEMBERED_MS && this.revoked.size <= MOST_TAGS) break;
      this.revoked.delete(tag);
      this.horizon = { position, mark: mark ?? this.horizon.mark };
    }
  }

  /** Forgets everything, because revocations may be missing. Nothing that was decided earlier is valid. */
  restart(): void {
    this.revoked.clear();
    this.last = undefined;
    this.horizon = { position: ++this.received, mark: undefined };
  }

  /** Whether one of the tags may have been revoked after a position. */
  touch(tags: readonly string[], since: number): boolean {
    if (since < this.horizon.position) return true;
    return this.revoked.size > 0 && tags.some((tag) => (this.revoked.get(tag)?.position ?? -1) > since);
  }

  /** Whether one of the tags may have been revoked after the mark `as_of` of a decision. */
  follow(tags: readonly string[], asOf: string | undefined): boolean {
    const marks = [this.horizon.mark, ...tags.map((tag) => this.revoked.get(tag)?.mark)];
    return marks.some((mark) => mark !== undefined && !reaches(asOf, mark));
  }
}
