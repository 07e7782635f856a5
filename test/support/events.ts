import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import type { Gatehouse } from './gatehouse.js';

/** What the gateway is told of accounts while a test runs. */
export class Events {
  private readonly heard: { type: string; accountId: string }[] = [];

  constructor(service: Gatehouse) {
    service.app.get(ReplicaBus).on('event', ({ type, account_id }) => {
      this.heard.push({ type: String(type), accountId: String(account_id) });
    });
  }

  /** The types of the events about one account since this was last asked. */
  of(account: { id: string }): string[] {
    const types = this.heard.filter(({ accountId }) => accountId === account.id).map(({ type }) => type);
    this.heard.length = 0;
    return types;
  }
}
