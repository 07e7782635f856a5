import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import type { GatewayEvent } from '../protocol/event.js';

interface AccountUsage {
  /** Number of sockets that still have to send each event. */
  readonly sockets: Map<GatewayEvent, number>;
  bytes: number;
}

/**
 * Memory used by unsent events. An event counts once per account, because the sockets of an account share its buffer.
 */
@Injectable()
export class UnsentBytes {
  private readonly accounts = new Map<string, AccountUsage>();
  private total = 0;

  constructor(private readonly config: Config) {}

  add(accountId: string, event: GatewayEvent): void {
    const account = this.accounts.get(accountId) ?? { sockets: new Map(), bytes: 0 };
    this.accounts.set(accountId, account);
    const sockets = account.sockets.get(event) ?? 0;
    account.sockets.set(event, sockets + 1);
    if (sockets === 0) this.count(account, event.bytes);
  }

  remove(accountId: string, event: GatewayEvent): void {
    const account = this.accounts.get(accountId);
    const sockets = account?.sockets.get(event);
    if (!account || !sockets) return;
    if (sockets > 1) return void account.sockets.set(event, sockets - 1);
    account.sockets.delete(event);
    this.count(account, -event.bytes);
    if (account.sockets.size === 0) this.accounts.delete(accountId);
  }

  private count(account: AccountUsage, bytes: number): void {
    account.bytes += bytes;
    this.total += bytes;
  }

  /** True if the unsent data exceeds the budget of the account or of the process. */
  isOverBudget(accountId: string): boolean {
    const { unsent_bytes_per_account, unsent_bytes_per_process } = this.config.gateway;
    const bytes = this.accounts.get(accountId)?.bytes ?? 0;
    return bytes > unsent_bytes_per_account || (bytes > 0 && this.total > unsent_bytes_per_process);
  }
}
