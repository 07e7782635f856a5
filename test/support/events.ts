import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import type { Gatehouse } from './gatehouse.js';

/** Records the account events that the gateway receives during a test. */
export class Events {
  private heard: { type: string; accountId: string }[] = [];

  constructor(service: Gatehouse) {
    service.app.get(ReplicaBus).on('event', ({ type, account_id }) => {
      this.heard.push({ type: String(type), accountId: String(account_id) });
    });
  }

  /** The types of the events of an account since the last call for this account. */
  of(account: { id: string }): string[] {
    const types = this.heard.filter(({ accountId }) => accountId === account.id).map(({ type }) => type);
    this.heard = this.heard.filter(({ accountId }) => accountId !== account.id);
    return types;
  }
}
