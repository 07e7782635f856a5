import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Database } from '../../platform/database/database.js';
import { Janitor } from '../../platform/process/janitor.js';
import { SsoDocument } from './sso.entities.js';

/** A document of the provider. `fetchedAt` is in milliseconds. */
export interface Kept<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

const LAST_GOOD_MS = 24 * 3_600_000; // sso.md section 5
const REFETCH_MS = 60_000;
/** How long a provider that does not respond is not asked again, if there is a usable copy. */
const PAUSE_MS = 30_000;

/** Copies of the provider's documents, shared by all replicas (sso.md section 5). */
@Injectable()
export class SsoDocuments {
  private readonly underWay = new Map<string, Promise<Kept<object>>>();
  private readonly pausedUntil = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    janitor: Janitor,
  ) {
    janitor.addExpiry('sso_document', 'url', "fetched_at < now() - interval '30 days'");
  }

  async find<T extends object>(url: string): Promise<Kept<T> | null> {
    const row = await this.database.manager.findOneBy(SsoDocument, { url });
    return row && { value: row.value as T, fetchedAt: row.fetchedAt.getTime() };
  }

  /**
   * Returns the copy if it is younger than `freshMs`, else a new one. If `fetch` fails, returns a copy of up to 24
   * hours.
   * @throws the error of `fetch` if there is no usable copy
   */
  get<T extends object>(url: string, freshMs: number, fetch: () => Promise<T>): Promise<Kept<T>> {
    // Read and renew under one key, so that parallel callers share the result.
    return this.once(`copy ${url}`, () => this.fresh(url, freshMs, fetch)) as Promise<Kept<T>>;
  }

  private async fresh<T extends object>(url: string, freshMs: number, fetch: () => Promise<T>): Promise<Kept<T>> {
    const kept = await this.find<T>(url);
    const now = this.clock.now();
    const age = kept ? now - kept.fetchedAt : Number.POSITIVE_INFINITY;
    if (kept && age < freshMs) return kept;
    const lastGood = age < LAST_GOOD_MS ? kept : null;
    if (lastGood && now < (this.pausedUntil.get(url) ?? 0)) return lastGood;
    try {
      return await this.renew(url, fetch);
    } catch (error) {
      if (!lastGood) throw error;
      this.pausedUntil.set(url, now + PAUSE_MS);
      this.log.warn('the sign-in provider does not answer: its last good document is used');
      return lastGood;
    }
  }

  /** Fetches and stores a document. Parallel callers share one request. */
  renew<T extends object>(url: string, fetch: () => Promise<T>): Promise<Kept<T>> {
    return this.once(url, async () => {
      const value = await fetch();
      const fetchedAt = this.clock.date();
      await this.database.manager.upsert(SsoDocument, { url, value, fetchedAt }, ['url']);
      this.pausedUntil.delete(url);
      return { value, fetchedAt: fetchedAt.getTime() };
    }) as Promise<Kept<T>>;
  }

  /**
   * Fetches again, at most once per 60 s and instance. Returns `null` if that limit is used up and there is no newer
   * copy.
   */
  renewOnMiss<T extends object>(url: string, missed: Kept<T>, fetch: () => Promise<T>): Promise<Kept<T> | null> {
    return this.once(`miss ${url}`, async () => {
      if (await this.claimRefetch(url)) return this.renew(url, fetch);
      const latest = await this.find<T>(url);
      return latest && latest.fetchedAt > missed.fetchedAt ? latest : null;
    }) as Promise<Kept<T> | null>;
  }

  private async claimRefetch(url: string): Promise<boolean> {
    const now = this.clock.date();
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .update(SsoDocument)
      .set({ refetchedAt: now })
      .where('url = :url AND (refetched_at IS NULL OR refetched_at <= :before)', {
        url,
        before: new Date(now.getTime() - REFETCH_MS),
      })
      .execute();
    return affected === 1;
  }

  private once(key: string, work: () => Promise<Kept<object> | null>): Promise<Kept<object> | null> {
    const known = this.underWay.get(key);
    if (known) return known;
    const promise = work().finally(() => this.underWay.delete(key)) as Promise<Kept<object>>;
    this.underWay.set(key, promise);
    return promise;
  }
}
