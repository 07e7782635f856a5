import type { TestResponse } from '../support/exchange.js';
import type { Cluster, Replica } from './cluster.js';
import { pause } from './pause.js';
import type { Pool } from './pool.js';
import type { Random } from './random.js';
import { type AttemptResult, now, type PresentedCredential, type Recorder } from './recorder.js';

/** Longer than a service may admit a revoked credential. */
const FOLLOW_MS = 2000;
const FOLLOW_PAUSE_MS = 10;

export interface LifeContext {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly pool: Pool;
  /** Pause between rotations of the signing keys, in milliseconds. */
  readonly rotationMs: number;
  /** Whether no new operation may begin. */
  isOver(): boolean;
}

/** The next operation. Returns false if there is nothing left that it can act on. */
export type Step = () => Promise<boolean>;

/** Credentials that come from one another, are used by other clients all the time, and end one after the other. */
export abstract class Life {
  protected readonly own: PresentedCredential[] = [];
  /** At most this many operations end some of the credentials before all end. */
  protected readonly mostSteps: number = 3;

  constructor(
    protected readonly surroundings: LifeContext,
    protected readonly random: Random,
  ) {}

  /** Creates the credentials. Returns false if that failed. */
  protected abstract begin(): Promise<boolean>;
  /** Operations that end some of the credentials, and those that end all of them. */
  protected abstract readonly partialEnds: readonly Step[];
  protected abstract readonly wholeEnds: readonly Step[];

  async live(): Promise<void> {
    if (await this.begin()) {
      await this.pause();
      const steps = this.random
        .shuffled(this.partialEnds)
        .slice(0, Math.floor(this.random.between(1, this.mostSteps + 1)));
      for (const step of [...steps, this.random.pick(this.wholeEnds)]) {
        if (this.surroundings.isOver()) break;
        if (await step()) await this.pause();
      }
    }
    this.surroundings.pool.retire(this.own);
  }

  protected pause(): Promise<unknown> {
    return pause(this.surroundings.isOver() ? 0 : this.random.between(50, 600));
  }

  protected get recorder(): Recorder {
    return this.surroundings.recorder;
  }

  /** A random replica for the next request. */
  protected get anywhere(): Replica {
    return this.random.pick(this.surroundings.cluster.replicas);
  }

  protected add(presented: PresentedCredential): PresentedCredential {
    this.own.push(presented);
    // Some services keep it from the start. For others, the first decision may be on its way when it is revoked.
    for (const service of presented.authorization ? this.surroundings.cluster.services : [])
      if (this.random.chance(0.5)) void this.recorder.useAt(service, presented);
    return this.surroundings.pool.add(presented);
  }

  /** Makes an attempt at a random replica. Returns null unless it succeeded. */
  protected async done(
    work: (replica: Replica) => PromiseLike<TestResponse>,
  ): Promise<(AttemptResult & { answer: TestResponse }) | null> {
    const attempted = await this.recorder.attempt(this.anywhere, work);
    const { answer: response } = attempted;
    return attempted.outcome === 'ok' && response ? { ...attempted, answer: response } : null;
  }

  /** Revokes credentials. Some of them are presented immediately before and after it, at the same replica. */
  protected async revoked(
    kind: string,
    ends: readonly string[],
    work: (replica: Replica) => PromiseLike<TestResponse>,
    spares: readonly string[] = [],
  ): Promise<AttemptResult> {
    const { cluster } = this.surroundings;
    const revoked = this.own.filter(
      ({ credential: { id, scopes } }) => !spares.includes(id) && scopes.some((scope) => ends.includes(scope)),
    );
    const kept = revoked.filter(({ authorization }) => authorization);
    // Decisions may be on their way while their credential is revoked.
    for (const presented of kept) for (const service of cluster.services) void this.recorder.useAt(service, presented);
    const some = this.random.shuffled(revoked).slice(0, 2);
    const replica = this.anywhere;
    await Promise.all(some.map((presented) => this.recorder.use(replica, presented)));
    const attempted = await this.recorder.revoke(this.anywhere, kind, ends, work, spares);
    if (attempted.outcome !== 'ok') return attempted;
    for (const presented of kept) this.followRevocation(presented);
    await Promise.all(some.map((presented) => this.recorder.use(replica, presented)));
    return attempted;
  }

  /** Presents a revoked credential to every service until it is no longer admitted. */
  private followRevocation(presented: PresentedCredential): void {
    const end = now() + FOLLOW_MS;
    for (const service of this.surroundings.cluster.services) {
      const follow = async (): Promise<void> => {
        if ((await this.recorder.useAt(service, presented)) !== 'ok' || now() > end) return;
        await pause(FOLLOW_PAUSE_MS);
        await follow();
      };
      void follow();
    }
  }

  /**
   * Presents a single-use secret to all replicas at the same time, twice to each, and then once more. Returns the
   * success.
   */
  protected async redeemed(
    what: string,
    issued: AttemptResult,
    scopes: readonly string[],
    present: (replica: Replica) => PromiseLike<TestResponse>,
    each: (attempted: AttemptResult) => void = () => {},
  ): Promise<(AttemptResult & { answer: TestResponse }) | null> {
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
