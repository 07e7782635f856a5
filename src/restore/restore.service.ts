import { Injectable } from '@nestjs/common';
import { AccountService } from '../accounts/account.service.js';
import { ACCOUNT_FLAGS } from '../accounts/account-facts.js';
import { AccountRecords } from '../accounts/account-records.service.js';
import { AccountRemoval } from '../accounts/account-removal.service.js';
import { AuditLog } from '../admin/audit/audit.service.js';
import type { Operator } from '../admin/audit/operator.js';
import { IpBans } from '../bans/ip-bans.service.js';
import { Clock } from '../core/clock.js';
import { StartError } from '../core/config/start-error.js';
import { MediaUpkeep } from '../media/objects/upkeep.service.js';
import { Database } from '../platform/database/database.js';
import { CredentialSweep } from './credential-sweep.service.js';
import { ErasureLedger, type RecordedNetwork } from './erasure-ledger.service.js';
import type { LedgerLine } from './ledger-lines.js';

// Each process has one such connection. A role sees the names of the connections of its own user.
const OTHER_PROCESSES = `SELECT (count(*) - 1)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'gatehouse notices'`;

/** What `finish` has done, as counts. */
export interface RestoreReport {
  readonly sessions: number;
  readonly credentials: number;
  readonly erased: number;
  readonly banned: number;
  readonly unbanned: number;
  readonly ip_banned: number;
  readonly ip_unbanned: number;
  readonly files: number;
}

/** Makes a restored database safe to serve. */
@Injectable()
export class Restore {
  constructor(
    private readonly database: Database,
    private readonly ledger: ErasureLedger,
    private readonly accounts: AccountService,
    private readonly records: AccountRecords,
    private readonly removal: AccountRemoval,
    private readonly credentials: CredentialSweep,
    private readonly media: MediaUpkeep,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly ipBans: IpBans,
  ) {}

  /**
   * Writes all recorded events to the ledger, and prevents the start of replicas.
   * @throws StartError if other processes use the database
   */
  async begin(): Promise<void> {
    const { storage } = this.ledger;
    const wasLocked = await storage.isLocked();
    await storage.lock();
    try {
      await this.assertAlone();
      await this.ledger.flush();
    } catch (error) {
      if (!wasLocked) await storage.unlock();
      throw error;
    }
  }

  /**
   * Repeats the erasures and bans that the database lacks, ends all credentials, removes files without a row, and
   * lets replicas start. Without a ledger, there is nothing to repeat. After a crash, it can be repeated safely.
   * @throws StartError if other processes use the database, or if a line of the ledger is invalid
   */
  async finish(by: Operator): Promise<RestoreReport> {
    const { ledger } = this;
    if (ledger.isConfigured) await ledger.storage.lock();
    await this.assertAlone();
    const head = await ledger.head();
    const lines = ledger.isConfigured ? await ledger.readAll() : [];
    const { sessions, others } = await this.credentials.endAll();
    const missing = lines.filter(({ number }) => number > head);
    const states = new Map(missing.flatMap((line) => (line.account === null ? [] : [[line.account, line] as const])));
    for (const line of lines) if (line.kind === 'erased' && line.account !== null) states.set(line.account, line);
    const counts = { erased: 0, banned: 0, unbanned: 0, ip_banned: 0, ip_unbanned: 0 };
    for (const [account, line] of states) if (await this.repeat(account, line)) counts[line.kind]++;
    const networks = missing.flatMap(({ network, until }) =>
      network === undefined ? [] : [{ ...ledger.openNetwork(network), until }],
    );
    for (const network of new Map(networks.map((each) => [each.value, each])).values()) {
      const kind = await this.repeatIpBan(network);
      if (kind) counts[kind]++;
    }
    const report = { sessions, credentials: others, ...counts, files: await this.media.removeFilesWithoutRow() };
    await this.database.transaction(async (tx) => {
      await ledger.adopt(tx, lines);
      await this.audit.record(tx, by, {
        action: 'finish_restore',
        target: { type: 'instance' },
        metadata: { ...report },
      });
    });
    if (ledger.isConfigured) {
      await ledger.flush();
      await ledger.storage.unlock();
    }
    return report;
  }

  private async assertAlone(): Promise<void> {
    if (this.database.isEmbedded) return;
    const [{ others }] = await this.database.manager.query<[{ others: number }]>(OTHER_PROCESSES);
    if (others > 0) {
      throw new StartError(`Stop all replicas and commands first: ${others} still use the database.`);
    }
  }

  /** Repeats an event, unless the account does not exist or already has this state. Returns whether it changed. */
  private repeat(id: string, { kind, until }: LedgerLine): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.lock(tx, id);
      if (!account || account.deletedAt) return false;
      if (kind === 'erased') {
        await this.removal.remove(tx, id);
        return true;
      }
      const isBanned = kind === 'banned';
      const isOver = until !== null && Date.parse(until) <= this.clock.now();
      const record = await this.records.find(id, tx);
      if (!record || (isBanned ? isOver : !record.banned)) return false;
      const flags = isBanned ? record.flags | ACCOUNT_FLAGS.DISABLED : record.flags & ~ACCOUNT_FLAGS.DISABLED;
      await this.accounts.update(tx, id, {
        flags: String(record.bot ? record.flags : flags),
        banned: isBanned,
        bannedUntil: until === null ? null : new Date(until),
        banReason: null,
      });
      return true;
    });
  }

  /** Repeats the last change of a ban. Returns null if nothing changes, for example if the ban has expired. */
  private repeatIpBan({
    value,
    kind,
    reason,
    until,
  }: RecordedNetwork & Pick<LedgerLine, 'until'>): Promise<'ip_banned' | 'ip_unbanned' | null> {
    return this.database.transaction(async (tx) => {
      const removed = await this.ipBans.remove(tx, [value]);
      const seconds = until === null ? null : (Date.parse(until) - this.clock.now()) / 1000;
      if (kind && reason && (seconds === null || seconds > 0)) {
        await this.ipBans.put(tx, { value, kind, reason, createdByUserId: null, signals: null }, seconds);
        return 'ip_banned';
      }
      return removed.length > 0 ? 'ip_unbanned' : null;
    });
  }
}
