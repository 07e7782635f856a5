import type { Answer } from '../support/exchange.js';
import type { Cluster, Replica } from './cluster.js';
import type { Pool } from './pool.js';
import type { Random } from './random.js';
import type { Attempted, Presented, Recorder } from './recorder.js';

export interface Surroundings {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly pool: Pool;
  /** Nothing more is to begin. */
  isOver(): boolean;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What may happen next; false where nothing is left that it could happen to. */
export type Step = () => Promise<boolean>;

/** Credentials that come from one another, are presented by others all the time, and end one after the other. */
export abstract class Life {
  protected readonly own: Presented[] = [];

  constructor(
    protected readonly surroundings: Surroundings,
    protected readonly random: Random,
  ) {}

  /** Begins; false where it did not come that far. */
  protected abstract begin(): Promise<boolean>;
  /** What ends some of it, and what ends all of it. */
  protected abstract readonly partialEnds: readonly Step[];
  protected abstract readonly wholeEnds: readonly Step[];

  async live(): Promise<void> {
    if (await this.begin()) {
      await this.dwell();
      const steps = this.random.shuffled(this.partialEnds).slice(0, Math.floor(this.random.between(1, 4)));
      for (const step of [...steps, this.random.pick(this.wholeEnds)]) {
        if (this.surroundings.isOver()) break;
        if (await step()) await this.dwell();
      }
    }
    this.surroundings.pool.retire(this.own);
  }

  protected dwell(): Promise<unknown> {
    return pause(this.surroundings.isOver() ? 0 : this.random.between(100, 1200));
  }

  protected get recorder(): Recorder {
    return this.surroundings.recorder;
  }

  /** Whoever answers next. */
  protected get anywhere(): Replica {
    return this.random.pick(this.surroundings.cluster.replicas);
  }

  protected add(presented: Presented): Presented {
    this.own.push(presented);
    return this.surroundings.pool.add(presented);
  }

  /** An attempt somewhere, of which only a success counts. */
  protected async done(
    work: (replica: Replica) => PromiseLike<Answer>,
  ): Promise<(Attempted & { answer: Answer }) | null> {
    const attempted = await this.recorder.attempt(this.anywhere, work);
    const { answer } = attempted;
    return attempted.outcome === 'ok' && answer ? { ...attempted, answer } : null;
  }

  protected async revoked(
    kind: string,
    ends: readonly string[],
    work: (replica: Replica) => PromiseLike<Answer>,
    spares: readonly string[] = [],
  ): Promise<Attempted> {
    return this.recorder.revoke(this.anywhere, kind, ends, work, spares);
  }

  /** A secret that works once is presented to all replicas at once, twice to each, and then again; answers the success. */
  protected async redeemed(
    what: string,
    issued: Attempted,
    scopes: readonly string[],
    present: (replica: Replica) => PromiseLike<Answer>,
    each: (attempted: Attempted) => void = () => {},
  ): Promise<(Attempted & { answer: Answer }) | null> {
    const credential = this.recorder.issue(what, issued, scopes, { isOneTime: true });
    const { replicas } = this.surroundings.cluster;
    const at = (replica: Replica) => this.recorder.use(replica, { credential, present });
    const attempts = await Promise.all(this.random.shuffled([...replicas, ...replicas]).map(at));
    attempts.push(...(await Promise.all(replicas.map(at))));
    for (const attempted of attempts) each(attempted);
    const won = attempts.find(({ outcome }) => outcome === 'ok');
    return won?.answer ? { ...won, answer: won.answer } : null;
  }
}
