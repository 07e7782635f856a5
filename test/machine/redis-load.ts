import { expect } from '@jest/globals';
import type { ServiceEndpoint } from '../support/gatehouse.js';
import { type CreatedWebhook, newWebhook, type Persona } from '../support/index.js';
import { describeWithDedicatedRedis } from './dedicated-server.js';
import { describeOnPostgres } from './postgres.js';
import { hasDedicatedRedis } from './redis-groups.js';
import type { ResumingClient } from './resuming-client.js';
import { until } from './service-process.js';

/** `describe`, or a skipped suite with the reason in its title without `TEST_DATABASE_URL` or without redis-server. */
export const describeWithStoreGroup = (title: string, suite: () => void): void =>
  (hasDedicatedRedis ? describeOnPostgres : describeWithDedicatedRedis)(title, suite);

const PAUSE_MS = 40;
const INFO = '/.well-known/oauth-authorization-server';
let addresses = 0;

/** Whether a request to one process counts against the limit of the other. */
export async function sharesLimits(first: ServiceEndpoint, second: ServiceEndpoint): Promise<boolean> {
  const address = `127.0.61.${(++addresses % 250) + 1}`;
  const remaining = async (service: ServiceEndpoint) =>
    Number((await service.anonymous.from(address).get(INFO)).headers.get('x-ratelimit-remaining'));
  return (await remaining(first)) - (await remaining(second)) === 1;
}

/** Sends numbered webhook messages to an account, one after another. Each one commits an event. */
export class NumberedEvents {
  /** The limits of routes that the load and `sharesLimits` need. */
  static readonly LIMITS = JSON.stringify({
    'webhook:execute': '100000/1',
    'instance:info': '1000/3600',
    'auth:register': '1000/1',
  });
  /** Clients that reconnect without a pause need more attempts. */
  static readonly GATEWAY_NUMBERS = JSON.stringify({
    renew_ms: 500,
    attempts_per_address: 1e6,
    payloads_per_address: 1e6,
  });
  private last = 0;
  private isOver = false;
  private readonly sending: Promise<void>;

  private constructor(
    private readonly service: ServiceEndpoint,
    private readonly hook: CreatedWebhook,
  ) {
    this.sending = this.send();
  }

  static async start(service: ServiceEndpoint, who: Persona): Promise<NumberedEvents> {
    return new NumberedEvents(service, await newWebhook(service, who));
  }

  private async send(): Promise<void> {
    while (!this.isOver) {
      const { status } = await this.service.anonymous.post(this.hook.path, { content: String(this.last + 1) });
      expect([200, 204]).toContain(status);
      this.last++;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Waits until this many more events are committed. */
  async pass(count: number): Promise<void> {
    const enough = this.last + count;
    await Promise.race([until(() => this.last >= enough), this.sending]);
  }

  /** Returns the number of the last event. */
  async stop(): Promise<number> {
    this.isOver = true;
    await this.sending;
    return this.last;
  }
}

/** The numbers of the events that a client has received since its dispatch `from`. */
export const numbersOf = ({ seen }: ResumingClient, from = 0, to = seen.length): number[] =>
  seen.slice(from, to).flatMap(({ t, d }) => (t === 'WEBHOOK_MESSAGE_CREATE' ? Number(d.content) : []));

/** Checks that each session of a client received all events in order. Only op 9 may come before a gap. */
export function expectNoSilentLoss(client: ResumingClient): void {
  const starts = [0, ...client.invalidatedAt];
  for (const [index, start] of starts.entries()) {
    const numbers = numbersOf(client, start, starts[index + 1]);
    const [first = 0] = numbers;
    expect(numbers).toEqual(numbers.map((_, n) => first + n));
  }
}
