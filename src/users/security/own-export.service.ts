import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AccountExport, type Exported, exportIsBusy } from '../../accounts/account-export.service.js';
import { originOf } from '../../accounts/events/origin.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Log } from '../../core/log.js';
import { Database } from '../../platform/database/database.js';
import { bytesOf } from '../../platform/storage/spool.js';
import { ANSWERED, type Call, ClientGone } from '../../policy/call.js';
import type { SessionIdentity } from '../../policy/identity.js';

const AT_ONCE = 2;

/** Account export for the account owner (web.md section 5). */
@Injectable()
export class OwnExport {
  /** Accounts with an export in progress. */
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly standing: Standing,
    private readonly notices: SecurityNotices,
    private readonly accounts: AccountExport,
    private readonly log: Log,
  ) {}

  /**
   * Streams an export to the caller.
   * @throws Refusal RATE_LIMITED if the account is already being exported, or this process runs the maximum number of
   * exports
   */
  async send(me: SessionIdentity, call: Call): Promise<Record<string, unknown> | typeof ANSWERED> {
    const { id } = me.account;
    if (this.running.has(id) || this.running.size >= AT_ONCE) throw exportIsBusy();
    this.running.add(id);
    let exported: Exported | undefined;
    const { socket } = call.req;
    // The socket event is needed because Node.js does not emit `close` for a pipelined response when its connection
    // breaks.
    const end = () => {
      socket.off('close', end);
      this.running.delete(id);
      void exported?.file.close().catch((error) => this.log.error('an export could not be closed', { error }));
      exported = undefined;
    };
    try {
      await this.note(me, call);
      exported = await this.accounts.write(id, 'owner', () => {
        if (call.stage === 'closed') throw new ClientGone();
      });
      call.transfers.beginAnswer(call);
      socket.once('close', end);
      this.begin(call, exported, end);
      return ANSWERED;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Notifies the account owner before any data is sent. */
  private note(me: SessionIdentity, call: Call): Promise<void> {
    return this.database.transaction(async (tx) => {
      const account = await this.standing.hold(tx, me);
      await this.accounts.demandTurn(tx, account.id);
      await this.notices.send(tx, account, 'data_exported', originOf(call));
    });
  }

  private begin(call: Call, { size, file }: Exported, end: () => void): void {
    const { res, transfers } = call;
    call.dress();
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.setHeader('Content-Disposition', 'attachment; filename="account.json"');
    res.setHeader('Content-Length', size);
    transfers.send(call, Readable.from(bytesOf(file), { objectMode: false }), end);
  }
}
