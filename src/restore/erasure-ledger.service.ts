import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IpBanEntry } from '../bans/bans.entities.js';
import { type IpBanChange, IpBans } from '../bans/ip-bans.service.js';
import { commandLine } from '../core/command-line.js';
import { Config } from '../core/config/config.js';
import { StartError } from '../core/config/start-error.js';
import { Log } from '../core/log.js';
import { sealWithSecret, unsealWithSecret } from '../core/secrets.js';
import { type ChangeResult, Database, type Tx } from '../platform/database/database.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import { DigestKeys } from '../platform/keys/digest-keys.js';
import type { HealthCheck } from '../policy/health.js';
import type { JobHandler } from '../policy/jobs.js';
import type { LifecycleEvent, RequiredSubscriber } from '../policy/lifecycle.js';
import { formatLine, type LedgerKind, type LedgerLine, parseLine } from './ledger-lines.js';
import { LedgerStorage } from './ledger-storage.js';

type Recorded = 'erased' | 'banned' | 'enabled';

const KINDS: Readonly<Record<Recorded, LedgerKind>> = { erased: 'erased', banned: 'banned', enabled: 'unbanned' };
/** Only a passing check waits this long for the next one. */
const CHECK_INTERVAL_MS = 10_000;
const NUMBERING_LOCK = [0x6761, 0x6c67];
const NETWORK_LABEL = 'erasure ledger networks';

const HEAD = 'SELECT coalesce(max(number), 0)::int AS head FROM erasure_ledger';

/**
 * Numbers are gapless and in the order of the events of an account or an IP address, because its row is locked until
 * the commit.
 */
const NUMBER_LINES = `
  UPDATE erasure_ledger AS l SET number = n.number
  FROM (SELECT id, (SELECT coalesce(max(number), 0) FROM erasure_ledger) + row_number() OVER (ORDER BY id) AS number
        FROM erasure_ledger WHERE number IS NULL AND NOT is_written) AS n
  WHERE l.id = n.id`;

interface Row {
  readonly number: number;
  readonly kind: LedgerKind;
  readonly account_id: string | null;
  readonly network: string | null;
  readonly until: Date | null;
}

const toLine = ({ number, kind, account_id, network, until }: Row): LedgerLine => ({
  ...{ number, kind, account: account_id, until: until?.toISOString() ?? null },
  ...(network !== null && { network }),
});

/** What a line contains about an IP address or range, encrypted. An event that lifts a ban has only `value`. */
export type RecordedNetwork = Pick<IpBanChange, 'value'> & Partial<Pick<IpBanEntry, 'kind' | 'reason'>>;

/**
 * Records erasures and bans outside the database. Each is a row of the transaction that makes the change. A job then
 * writes it to the ledger, so a crash loses none. A line gets its number in a commit before it is written. Therefore a
 * database that lacks a line of the ledger was restored from a backup.
 */
@Injectable()
export class ErasureLedger implements RequiredSubscriber<Recorded>, JobHandler, HealthCheck, OnModuleInit {
  private opened: LedgerStorage | undefined;
  private nextCheck = 0;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly keys: DigestKeys,
    private readonly log: Log,
    private readonly ipBans: IpBans,
  ) {}

  async onModuleInit(): Promise<void> {
    this.opened = await LedgerStorage.open(this.config, this.log);
    if (this.opened) this.ipBans.recordWith((tx, changes) => this.recordIpBans(tx, changes));
  }

  get isConfigured(): boolean {
    return this.opened !== undefined;
  }

  /** @throws StartError if no ledger is configured */
  get storage(): LedgerStorage {
    if (!this.opened) throw new StartError('There is no ledger. Set ERASURE_LEDGER_DIR or ERASURE_LEDGER_BUCKET.');
    return this.opened;
  }

  async handleAll(tx: Tx, events: readonly LifecycleEvent<Recorded>[]): Promise<void> {
    if (!this.opened) return;
    await tx.query(
      `INSERT INTO erasure_ledger (kind, account_id, until)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::timestamptz[])`,
      [
        events.map(({ type }) => KINDS[type]),
        events.map(({ account_id }) => account_id),
        events.map((event) => (event.type === 'banned' ? event.until : null)),
      ],
    );
    await this.jobs.enqueue(tx, 'restore:write_ledger', {}, { key: null });
  }

  private async recordIpBans(tx: Tx, changes: readonly IpBanChange[]): Promise<void> {
    await tx.query(
      `INSERT INTO erasure_ledger (kind, network, until)
       SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[])`,
      [
        changes.map(({ ban }): LedgerKind => (ban ? 'ip_banned' : 'ip_unbanned')),
        changes.map(({ value, ban }) => this.sealNetwork({ value, kind: ban?.kind, reason: ban?.reason })),
        changes.map(({ ban }) => ban?.expiresAt ?? null),
      ],
    );
    await this.jobs.enqueue(tx, 'restore:write_ledger', {}, { key: null });
  }

  /** The keys are stored in the database, encrypted. Therefore the ledger alone does not reveal an IP address. */
  private sealNetwork(network: RecordedNetwork): string {
    const [key = ''] = this.networkKeys;
    return sealWithSecret(key, NETWORK_LABEL, JSON.stringify(network));
  }

  /** @throws StartError if no key decrypts it */
  openNetwork(sealed: string): RecordedNetwork {
    for (const key of this.networkKeys) {
      try {
        return JSON.parse(unsealWithSecret(key, NETWORK_LABEL, sealed));
      } catch {}
    }
    throw new StartError('No key decrypts an IP address of the ledger. Check GATEHOUSE_SECRET.');
  }

  private get networkKeys(): string[] {
    return this.keys.keysFor(NETWORK_LABEL).map((key) => key.toString('base64url'));
  }

  run(): Promise<void> {
    return this.flush();
  }

  /** Writes all recorded events to the ledger, in order. It can be repeated safely, also in parallel. */
  async flush(): Promise<void> {
    const { storage } = this;
    await this.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', NUMBERING_LOCK);
      await tx.query(NUMBER_LINES);
    });
    const rows = await this.database.manager.query<Row[]>(
      `SELECT number::int AS number, kind, account_id, network, until FROM erasure_ledger
       WHERE NOT is_written AND number IS NOT NULL ORDER BY number`,
    );
    for (const row of rows) {
      await this.write(storage, toLine(row));
      await this.database.manager.query<ChangeResult>('UPDATE erasure_ledger SET is_written = true WHERE number = $1', [
        row.number,
      ]);
    }
  }

  /** Never replaces a line. @throws StartError if the ledger has another line in this place */
  private async write(storage: LedgerStorage, line: LedgerLine): Promise<void> {
    const [key = Buffer.alloc(0), ...others] = this.signingKeys;
    const known = await storage.readLine(line.number);
    if (known === null) return storage.writeLine(line.number, formatLine(line, key));
    const { kind, account, network, until } = parseLine(line.number, known, [key, ...others]);
    const isSame = kind === line.kind && account === line.account && network === line.network && until === line.until;
    if (!isSame) throw restored();
  }

  /** A replica that missed the start of a restore must not serve. An outage of the ledger does not count. */
  async check(): Promise<void> {
    if (performance.now() < this.nextCheck) return;
    try {
      await this.assertFinished();
    } catch (error) {
      if (error instanceof StartError) throw error;
    }
    this.nextCheck = performance.now() + CHECK_INTERVAL_MS;
  }

  /**
   * Checks that the database has all lines of the ledger and that no restore is in progress.
   * @throws StartError otherwise
   */
  async assertFinished(): Promise<void> {
    if (!this.opened) return;
    if (await this.opened.isLocked()) {
      throw new StartError(`A restore is in progress. To finish it, run: ${commandLine('restore finish')}`);
    }
    // Another replica may have numbered and written a line since.
    for (let head = -1; ; ) {
      const current = await this.head();
      if (current === head) throw restored();
      head = current;
      if (!(await this.opened.hasLine(head + 1))) return;
    }
  }

  /** The number of the last line that the database has. */
  async head(tx: Tx = this.database.manager): Promise<number> {
    const [row] = await tx.query<[{ head: number }]>(HEAD);
    return row.head;
  }

  /**
   * Reads and verifies all lines.
   * @throws StartError if a line is invalid, or if lines are missing that the database has written
   */
  async readAll(): Promise<LedgerLine[]> {
    const lines: LedgerLine[] = [];
    for (let number = 1; ; number++) {
      const text = await this.storage.readLine(number);
      if (text === null) break;
      lines.push(parseLine(number, text, this.signingKeys));
    }
    const [row] = await this.database.manager.query<[{ last: number }]>(
      'SELECT coalesce(max(number), 0)::int AS last FROM erasure_ledger WHERE is_written',
    );
    if (row.last > lines.length) {
      throw new StartError(`Line ${lines.length + 1} of the ledger is missing. Restore it from a copy.`);
    }
    return lines;
  }

  /** Adds lines of the ledger that the database lacks. */
  async adopt(tx: Tx, lines: readonly LedgerLine[]): Promise<void> {
    await tx.query(
      `INSERT INTO erasure_ledger (number, kind, account_id, until, network, is_written)
       SELECT *, true FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[])
       ON CONFLICT (number) DO UPDATE SET is_written = true`,
      [
        lines.map(({ number }) => number),
        lines.map(({ kind }) => kind),
        lines.map(({ account }) => account),
        lines.map(({ until }) => until),
        lines.map(({ network }) => network ?? null),
      ],
    );
  }

  private get signingKeys(): Buffer[] {
    return this.keys.keysFor('erasure ledger');
  }
}

const restored = (): StartError =>
  new StartError(
    `The database was restored from a backup: the ledger has events that it lacks. Stop all replicas and run: ${commandLine('restore finish')}`,
  );
