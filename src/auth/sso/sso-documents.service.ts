import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Database } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { SsoDocument } from './sso.entities.js';

/** A document of the provider. `fetchedAt` is in milliseconds. */
export interface CachedDocument<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

const MAX_STALE_MS = 24 * 3_600_000; // sso.md section 5
const REFETCH_INTERVAL_MS = 60_000;
/** How long a provider that does not respond is not asked again, if there is a usable copy. */
const RETRY_PAUSE_MS = 30_000;

/** Copies of the provider's documents, shared by all replicas (sso.md section 5). */
@Injectable()
export class SsoDocuments {
  private readonly pendingRequests = new Map<string, Promise<CachedDocument<object>>>();
  private readonly pausedUntil = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('sso_document', 'url', "fetched_at < now() - interval '30 days'");
  }

  async find<T extends object>(url: string): Promise<CachedDocument<T> | null> {
    const row = await this.database.manager.findOneBy(SsoDocument, { url });
    return row && { value: row.value as T, fetchedAt: row.fetchedAt.getTime() };
  }

  /**
   * Returns the copy if it is younger than `freshMs`, else a new one. If `fetch` fails, returns a copy of up to 24
   * hours.
   * @throws the error of `fetch` if there is no usable copy
   */
  get<T extends object>(url: string, freshMs: number, fetch: () => Promise<T>): Promise<CachedDocument<T>> {
    // Read and renew under one key, so that parallel callers share the result.
    return this.shareRequest(`copy ${url}`, () => this.getFresh(url, freshMs, fetch)) as Promise<CachedDocument<T>>;
  }

  private async getFresh<T extends object>(
    url: string,
    freshMs: number,
    fetch: () => Promise<T>,
  ): Promise<CachedDocument<T>> {
    const kept = await this.find<T>(url);
    const now = this.clock.now();
    const age = kept ? now - kept.fetchedAt : Number.POSITIVE_INFINITY;
    if (kept && age < freshMs) return kept;
    const lastGood = age < MAX_STALE_MS ? kept : null;
    if (lastGood && now < (this.pausedUntil.get(url) ?? 0)) return lastGood;
    try {
      return await this.renew(url, fetch);
    } catch (error) {
      if (!lastGood) throw error;
      this.pausedUntil.set(url, now + RETRY_PAUSE_MS);
      this.log.warn('the identity provider does not respond: its cached metadata is used');
      return lastGood;
    }
  }

  /** Fetches and stores a document. Parallel callers share one request. */
  renew<T extends object>(url: string, fetch: () => Promise<T>): Promise<CachedDocument<T>> {
    return this.shareRequest(url, async () => {
      const value = await fetch();
      const fetchedAt = this.clock.date();
      await this.database.manager.upsert(SsoDocument, { url, value, fetchedAt }, ['url']);
      this.pausedUntil.delete(url);
      return { value, fetchedAt: fetchedAt.getTime() };
    }) as Promise<CachedDocument<T>>;
  }

  /**
   * Fetches again, at most once per 60 s and instance. Returns `null` if that limit is used up and there is no newer
   * copy.
   */
  renewOnMiss<T extends object>(
    url: string,
    missed: CachedDocument<T>,
    fetch: () => Promise<T>,
  ): Promise<CachedDocument<T> | null> {
    return this.shareRequest(`miss ${url}`, async () => {
      if (await this.claimRefetch(url)) return this.renew(url, fetch);
      const latest = await this.find<T>(url);
      return latest && latest.fetchedAt > missed.fetchedAt ? latest : null;
    }) as Promise<CachedDocument<T> | null>;
  }

  private async claimRefetch(url: string): Promise<boolean> {
    const now = this.clock.date();
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .update(SsoDocument)
      .set({ refetchedAt: now })
      .where('url = :url AND (refetched_at IS NULL OR refetched_at <= :before)', {
        url,
        before: new Date(now.getTime() - REFETCH_INTERVAL_MS),
      })
      .execute();
    return affected === 1;
  }

  private shareRequest(
    key: string,
    work: () => Promise<CachedDocument<object> | null>,
  ): Promise<CachedDocument<object> | null> {
    const known = this.pendingRequests.get(key);
    if (known) return known;
    const promise = work().finally(() => this.pendingRequests.delete(key)) as Promise<CachedDocument<object>>;
    this.pendingRequests.set(key, promise);
    return promise;
  }
}
