import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AccountExport, type ExportFile, exportBusyError } from '../../accounts/account-export.service.js';
import { getOrigin } from '../../accounts/events/origin.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { Log } from '../../core/log.js';
import { Database } from '../../platform/database/database.js';
import { readFileBytes } from '../../platform/storage/spool.js';
import { type Call, ClientGone, RESPONSE_HANDLED } from '../../policy/call.js';
import type { SessionIdentity } from '../../policy/identity.js';

const MAX_CONCURRENT_EXPORTS = 2;

/** Account export for the account owner (web.md section 5). */
@Injectable()
export class OwnExport {
  /** Accounts with an export in progress. */
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly callerGuard: CallerGuard,
    private readonly notices: SecurityNotices,
    private readonly accounts: AccountExport,
    private readonly log: Log,
  ) {}

  /**
   * Streams an export to the caller.
   * @throws ApiError RATE_LIMITED if the account is already being exported, or this process runs the maximum number of
   * exports
   */
  async send(me: SessionIdentity, call: Call): Promise<Record<string, unknown> | typeof RESPONSE_HANDLED> {
    const { id } = me.account;
    if (this.running.has(id) || this.running.size >= MAX_CONCURRENT_EXPORTS) throw exportBusyError();
    this.running.add(id);
    let exported: ExportFile | undefined;
    const { socket } = call.req;
    // The socket event is needed because Node.js does not emit `close` for a pipelined response when its connection
    // breaks.
    const end = () => {
      socket.off('close', end);
      this.running.delete(id);
      void exported?.file.close().catch((error) => this.log.error('closing a data export failed', { error }));
      exported = undefined;
    };
    try {
      await this.notifyOwner(me, call);
      exported = await this.accounts.write(id, 'owner', () => {
        if (call.stage === 'closed') throw new ClientGone();
      });
      call.transfers.beginResponse(call);
      socket.once('close', end);
      this.startResponse(call, exported, end);
      return RESPONSE_HANDLED;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Notifies the account owner before any data is sent. */
  private notifyOwner(me: SessionIdentity, call: Call): Promise<void> {
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      await this.accounts.lockOrThrow(tx, account.id);
      await this.notices.send(tx, account, 'data_exported', getOrigin(call));
    });
  }

  private startResponse(call: Call, { size, file }: ExportFile, end: () => void): void {
    const { res, transfers } = call;
    call.flushHeaders();
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.setHeader('Content-Disposition', 'attachment; filename="account.json"');
    res.setHeader('Content-Length', size);
    transfers.send(call, Readable.from(readFileBytes(file), { objectMode: false }), end);
  }
}
