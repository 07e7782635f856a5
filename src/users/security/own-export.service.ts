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

/** What an operator can export of an account, for its owner (web.md section 5). */
@Injectable()
export class OwnExport {
  /** Accounts whose exports are written or sent. */
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly standing: Standing,
    private readonly notices: SecurityNotices,
    private readonly accounts: AccountExport,
    private readonly log: Log,
  ) {}

  /** @throws Refusal RATE_LIMITED while the account is exported, or as many as this process exports at once */
  async send(me: SessionIdentity, call: Call): Promise<Record<string, unknown> | typeof ANSWERED> {
    const { id } = me.account;
    if (this.running.has(id) || this.running.size >= AT_ONCE) throw exportIsBusy();
    this.running.add(id);
    let exported: Exported | undefined;
    const { socket } = call.req;
    // The second is the only one that is told of a pipelined response whose connection ends.
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

  /** Nothing leaves before its owner is told of it. */
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
