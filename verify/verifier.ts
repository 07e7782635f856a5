import { AuthError } from './auth-error.js';
import { Cache } from './cache.js';
import { type Admission, bodyOf, type Caller } from './decision.js';
import { type DecisionRequest, keyOf } from './decision-request.js';
import { type ClientOptions, GatehouseClient, UnexpectedResponse } from './gatehouse-client.js';
import { RevocationStream } from './revocation-stream.js';
import { REMEMBERED_MS, Revocations } from './revocations.js';

/** Options of `Verifier`. */
export interface VerifierOptions extends ClientOptions {
  /** The number of admissions that are kept at most. Default: 10,000. */
  readonly maxKept?: number;
  /** Called if Gatehouse does not decide, or if the stream of revocations fails. */
  readonly onError?: (error: Error) => void;
}

/** Counters of a `Verifier`. */
export interface Metrics {
  /** Requests that a kept admission answered. */
  readonly hits: number;
  /** Requests for which Gatehouse was asked. */
  readonly misses: number;
  /** Tags that were revoked. */
  readonly revocations: number;
  /** How often the heartbeats of the stream stopped. */
  readonly streamLosses: number;
  /** How often Gatehouse did not decide, and the result was 503. */
  readonly failures: number;
  /** Admissions in the cache. */
  readonly kept: number;
  /** Seconds since the last heartbeat of the stream; `null` while the stream is lost. */
  readonly lagSeconds: number | null;
}

/** Decides about requests with the guards of Gatehouse, and keeps admissions (forward-auth.md section 4). */
export class Verifier {
  private readonly client: GatehouseClient;
  private readonly cache: Cache;
  private readonly revocations = new Revocations();
  private readonly stream: RevocationStream;
  private readonly counts = { hits: 0, misses: 0, revocations: 0, streamLosses: 0, failures: 0 };
  private readonly onError: (error: Error) => void;

  /** @throws TypeError if an option is missing or invalid */
  constructor({ maxKept = 10_000, onError = () => undefined, ...options }: VerifierOptions) {
    const { revocations, counts } = this;
    this.client = new GatehouseClient(options);
    this.cache = new Cache(maxKept);
    this.onError = onError;
    this.stream = new RevocationStream(this.client, {
      restarted: () => {
        this.cache.clear();
        revocations.restart();
      },
      advanced: (mark) => revocations.advance(mark),
      revoked: (tags) => {
        counts.revocations += tags.length;
        revocations.add(tags, performance.now());
      },
      failed: onError,
      lost: () => {
        counts.streamLosses++;
      },
    });
  }

  /**
   * @returns the caller of a request that the policy admits; not a promise if the admission is kept
   * @throws AuthError with the response of the guard, or with 503 if Gatehouse does not decide
   */
  require(decisionRequest: DecisionRequest): Caller | Promise<Caller> {
    const key = keyOf(decisionRequest);
    return this.lookUp(key) ?? this.ask(key, decisionRequest);
  }

  metrics(): Metrics {
    const now = performance.now();
    const lagSeconds = this.stream.isLive(now) ? this.stream.lag(now) / 1000 : null;
    return { ...this.counts, kept: this.cache.size, lagSeconds };
  }

  /** Closes the connections to Gatehouse. Afterwards, every request asks. */
  close(): void {
    this.stream.close();
    this.client.close();
    this.cache.clear();
  }

  private lookUp(key: string): Caller | undefined {
    const now = performance.now();
    const kept = this.stream.isLive(now) ? this.cache.get(key) : undefined;
    if (!kept) return undefined;
    if (now >= kept.expires || this.revocations.touch(kept.tags, kept.since)) {
      this.cache.delete(key);
      return undefined;
    }
    this.counts.hits++;
    return kept.caller;
  }

  private async ask(key: string, decisionRequest: DecisionRequest): Promise<Caller> {
    this.stream.start();
    this.counts.misses++;
    const { decision, isDoubtful } = await this.decide(key, decisionRequest);
    if (!isDoubtful) return decision.identity;
    // This decision is made after the revocation.
    const second = await this.decide(key, decisionRequest);
    return second.decision.identity;
  }

  /** Asks Gatehouse, and keeps the admission if nothing that it depends on was revoked in the meantime. */
  private async decide(
    key: string,
    decisionRequest: DecisionRequest,
  ): Promise<{ decision: Admission; isDoubtful: boolean }> {
    const sent = performance.now();
    const since = this.stream.isLive(sent) ? this.revocations.position : undefined;
    const decision = await this.client.decide(decisionRequest).catch((cause) => {
      this.counts.failures++;
      this.onError(cause);
      throw AuthError.unavailable(cause, cause instanceof UnexpectedResponse ? cause.retryAfter : undefined);
    });
    if (!decision.admitted) throw new AuthError(decision.status, decision.headers ?? {}, bodyOf(decision));
    if (since === undefined) return { decision, isDoubtful: false };
    const { tags, as_of } = decision;
    const isDoubtful = this.revocations.touch(tags, since) || this.revocations.follow(tags, as_of);
    // A policy that requires sudo mode admits no request without a proof.
    if (!isDoubtful && decisionRequest.sudo === undefined) this.keep(key, decision, since, sent);
    return { decision, isDoubtful };
  }

  private keep(key: string, { identity, tags, expires_in }: Admission, since: number, sent: number): void {
    const expires = sent + Math.min(expires_in * 1000, REMEMBERED_MS);
    this.cache.set(key, { caller: Object.freeze(identity), tags, since, expires });
  }
}
