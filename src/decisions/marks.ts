import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import type { PastPosition } from '../platform/replicas/journal-pages.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';

/** How long a stream can continue after a mark. */
const LIFETIME_SECONDS = 300;
/** The clocks of replicas and of the database may differ by this much. */
const CLOCK_DIFFERENCE_SECONDS = 10;

const MARK = /^(-?\d{1,16})-(\d{1,12})-([0-9a-f]{16})$/;

/**
 * Safe positions of the journal (contract/forward-auth.md section 3): `<ID>-<seconds since 1970>-<identity>`. Every
 * entry up to the ID was delivered, and no other can appear. The identity is that of the database and its timeline.
 */
@Injectable()
export class Marks {
  constructor(
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
  ) {}

  /** The mark of this replica, reached by its last complete read of the journal. */
  current(): string {
    const { mark, identity } = this.replicaBus;
    return `${mark}-${this.clock.seconds()}-${identity}`;
  }

  /** The position from which a stream can continue; null if the mark is too old, invalid or of another database. */
  parse(mark: string): PastPosition | null {
    const [, id, seconds, identity] = MARK.exec(mark) ?? [];
    if (identity === undefined || identity !== this.replicaBus.identity) return null;
    const age = this.clock.seconds() - Number(seconds);
    if (age > LIFETIME_SECONDS || age < -CLOCK_DIFFERENCE_SECONDS) return null;
    return { id: Number(id), seconds: Number(seconds) + CLOCK_DIFFERENCE_SECONDS };
  }
}
