import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/**
 * Why a lookup returned no IP addresses: the name does not exist, DNS did not respond in time, or too many lookups are
 * in progress.
 */
export type DnsErrorReason = 'absent' | 'silent' | 'busy';

export class DnsError extends Error {
  constructor(readonly dnsErrorReason: DnsErrorReason) {
    super(`a name could not be looked up: ${dnsErrorReason}`);
  }
}

export interface DnsOptions {
  /** Name servers as `address:port`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Deadline of one query in milliseconds, including retries. */
  readonly deadlineMs?: number;
  /** Maximum wait for a free slot in milliseconds. */
  readonly waitMs?: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const MAX_CONCURRENT_QUERIES = 16;
const DEADLINE_MS = 5_000;
const WAIT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 2;
const FAILURE_CACHE_MS = 30_000;
const MAX_CACHED_FAILURES = 10_000;
const HOSTS_FILE = '/etc/hosts';
/** DNS errors that mean "no such record", as opposed to a temporary failure. */
const NO_RECORD_CODES = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME']);

/** Runs at most 16 DNS queries at once, each with a deadline. */
export class DnsQueryQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: Pick<DnsOptions, 'deadlineMs' | 'waitMs'> = {}) {}

  /**
   * Runs a query in a free slot.
   * @throws DnsError `busy`, `silent`, and whatever the query throws
   */
  async run<T>(query: () => Promise<T>, cancel: () => void = () => {}): Promise<T> {
    await this.acquireSlot();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new DnsError('silent'));
        cancel();
      }, this.options.deadlineMs ?? DEADLINE_MS);
    });
    try {
      return await Promise.race([query(), late]);
    } finally {
      clearTimeout(timer);
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async acquireSlot(): Promise<void> {
    if (this.running < MAX_CONCURRENT_QUERIES) {
      this.running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(new DnsError('busy'));
      }, this.options.waitMs ?? WAIT_MS);
      this.waiting.push(begin);
    });
  }
}

/**
 * Resolves host names that users or administrators chose. It does not use `getaddrinfo`, which has few threads and no
 * deadline and resolves the names in the operator's settings. Failures are cached for 30 seconds.
 */
export class DnsResolver {
  private readonly queries: DnsQueryQueue;
  private readonly pendingLookups = new Map<string, Promise<readonly string[]>>();
  private readonly cachedFailures = new Map<string, { readonly until: number; readonly reason: DnsErrorReason }>();

  constructor(private readonly dnsOptions: DnsOptions = {}) {
    this.queries = new DnsQueryQueue(dnsOptions);
  }

  /** @throws DnsError */
  resolve(name: string): Promise<readonly string[]> {
    const known = this.cachedFailures.get(name);
    if (known && known.until > this.now()) return Promise.reject(new DnsError(known.reason));
    const running = this.pendingLookups.get(name);
    if (running) return running;
    const response = this.lookUp(name).finally(() => this.pendingLookups.delete(name));
    this.pendingLookups.set(name, response);
    return response;
  }

  private now(): number {
    return this.dnsOptions.now?.() ?? performance.now();
  }

  private async lookUp(name: string): Promise<readonly string[]> {
    const written = await readHostsFileEntries(name);
    if (written.length > 0) return written;
    const responses = await Promise.all([this.queryRecords(name, 'resolve4'), this.queryRecords(name, 'resolve6')]);
    const addresses = responses.flatMap((response) => (Array.isArray(response) ? response : []));
    if (addresses.length > 0) return addresses;
    const reason = (['busy', 'silent'] as const).find((one) => responses.includes(one)) ?? 'absent';
    if (reason !== 'busy') this.cacheFailure(name, reason);
    throw new DnsError(reason);
  }

  private async queryRecords(name: string, kind: 'resolve4' | 'resolve6'): Promise<string[] | DnsErrorReason> {
    const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: MAX_ATTEMPTS });
    if (this.dnsOptions.servers) resolver.setServers(this.dnsOptions.servers);
    try {
      return await this.queries.run(
        () => resolver[kind](name),
        () => resolver.cancel(),
      );
    } catch (error) {
      if (error instanceof DnsError) return error.dnsErrorReason;
      return NO_RECORD_CODES.has((error as NodeJS.ErrnoException).code ?? '') ? 'absent' : 'silent';
    }
  }

  private cacheFailure(name: string, reason: DnsErrorReason): void {
    const now = this.now();
    this.cachedFailures.delete(name);
    this.cachedFailures.set(name, { until: now + FAILURE_CACHE_MS, reason });
    for (const [old, { until }] of this.cachedFailures) {
      if (until > now && this.cachedFailures.size <= MAX_CACHED_FAILURES) return;
      this.cachedFailures.delete(old);
    }
  }
}

/** Returns the IP addresses that the hosts file of the machine has for a name. */
async function readHostsFileEntries(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address && names.includes(name.toLowerCase()) ? [address] : [];
  });
}
