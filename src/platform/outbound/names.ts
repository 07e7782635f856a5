import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/**
 * Why a lookup returned no IP addresses: the name does not exist, DNS did not respond in time, or too many lookups are
 * in progress.
 */
export type NameReason = 'absent' | 'silent' | 'busy';

export class NameFault extends Error {
  constructor(readonly reason: NameReason) {
    super(`a name could not be looked up: ${reason}`);
  }
}

export interface NameOptions {
  /** Name servers as `address:port`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Deadline of one query in milliseconds, including retries. */
  readonly deadlineMs?: number;
  /** Maximum wait for a free slot in milliseconds. */
  readonly waitMs?: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const AT_ONCE = 16;
const DEADLINE_MS = 5_000;
const WAIT_MS = 5_000;
const TRY_MS = 2_000;
const TRIES = 2;
const MEMORY_MS = 30_000;
const MAX_REMEMBERED = 10_000;
const HOSTS_FILE = '/etc/hosts';
/** DNS errors that mean "no such record", as opposed to a temporary failure. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME']);

/** Runs at most 16 DNS queries at once, each with a deadline. */
export class NameQueries {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: Pick<NameOptions, 'deadlineMs' | 'waitMs'> = {}) {}

  /**
   * Runs a query in a free slot.
   * @throws NameFault `busy`, `silent`, and whatever the query throws
   */
  async run<T>(query: () => Promise<T>, cancel: () => void = () => {}): Promise<T> {
    await this.enter();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new NameFault('silent'));
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

  private async enter(): Promise<void> {
    if (this.running < AT_ONCE) {
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
        reject(new NameFault('busy'));
      }, this.options.waitMs ?? WAIT_MS);
      this.waiting.push(begin);
    });
  }
}

/**
 * Resolves host names that users or administrators chose. It does not use `getaddrinfo`, which has few threads and no
 * deadline and resolves the names in the operator's settings. Failures are cached for 30 seconds.
 */
export class Names {
  private readonly queries: NameQueries;
  private readonly asked = new Map<string, Promise<readonly string[]>>();
  private readonly refused = new Map<string, { readonly until: number; readonly reason: NameReason }>();

  constructor(private readonly options: NameOptions = {}) {
    this.queries = new NameQueries(options);
  }

  /** @throws NameFault */
  addressesOf(name: string): Promise<readonly string[]> {
    const known = this.refused.get(name);
    if (known && known.until > this.now()) return Promise.reject(new NameFault(known.reason));
    const running = this.asked.get(name);
    if (running) return running;
    const answer = this.find(name).finally(() => this.asked.delete(name));
    this.asked.set(name, answer);
    return answer;
  }

  private now(): number {
    return this.options.now?.() ?? performance.now();
  }

  private async find(name: string): Promise<readonly string[]> {
    const written = await writtenFor(name);
    if (written.length > 0) return written;
    const answers = await Promise.all([this.ask(name, 'resolve4'), this.ask(name, 'resolve6')]);
    const addresses = answers.flatMap((answer) => (Array.isArray(answer) ? answer : []));
    if (addresses.length > 0) return addresses;
    const reason = (['busy', 'silent'] as const).find((one) => answers.includes(one)) ?? 'absent';
    if (reason !== 'busy') this.remember(name, reason);
    throw new NameFault(reason);
  }

  private async ask(name: string, kind: 'resolve4' | 'resolve6'): Promise<string[] | NameReason> {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.options.servers) resolver.setServers(this.options.servers);
    try {
      return await this.queries.run(
        () => resolver[kind](name),
        () => resolver.cancel(),
      );
    } catch (error) {
      if (error instanceof NameFault) return error.reason;
      return ABSENT.has((error as NodeJS.ErrnoException).code ?? '') ? 'absent' : 'silent';
    }
  }

  private remember(name: string, reason: NameReason): void {
    const now = this.now();
    this.refused.delete(name);
    this.refused.set(name, { until: now + MEMORY_MS, reason });
    for (const [old, { until }] of this.refused) {
      if (until > now && this.refused.size <= MAX_REMEMBERED) return;
      this.refused.delete(old);
    }
  }
}

/** Returns the IP addresses that the hosts file of the machine has for a name. */
async function writtenFor(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address && names.includes(name.toLowerCase()) ? [address] : [];
  });
}
