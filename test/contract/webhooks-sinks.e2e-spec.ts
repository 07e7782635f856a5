import { Controller, HttpCode, Module, Param, Post } from '@nestjs/common';
import { MetricsReader } from '../../src/core/metrics.js';
import {
  Accepts,
  type Call,
  CredentialFree,
  CurrentCall,
  RateLimit,
  readBytes,
  readMessage,
  Snowflake,
  Text,
  WEBHOOK_MESSAGE_SINKS,
  type WebhookMessageEvent,
  WebhookMessageService,
  type WebhookMessageSink,
  WebhooksModule,
  WebhookTokenService,
} from '../../src/index.js';
import { Database } from '../../src/platform/database/database.js';
import { CLAIM_DUE_WEBHOOK, MessageEvents } from '../../src/webhooks/message-events.service.js';
import { until } from '../machine/service-process.js';
import { runCleanup } from '../support/cleanup.js';
import {
  type CreatedWebhook,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  person,
  shortenTimers,
  withGatehouse,
} from '../support/index.js';

/** A custom sink that a test controls. */
class Sink implements WebhookMessageSink {
  readonly heard: WebhookMessageEvent[] = [];
  /** Runs before an event counts as handled. */
  before: (event: WebhookMessageEvent) => Promise<void> = async () => {};

  constructor(readonly name: string) {}

  async handle(event: WebhookMessageEvent): Promise<void> {
    await this.before(event);
    this.heard.push(event);
  }
}

const search = new Sink('search');
const archive = new Sink('archive');

class PagerPath {
  @Snowflake() id: string;
  @Text({ min: 1, max: 256 }) token: string;
}

/** A custom callback format. The request body is the text. */
@Controller('v1/webhooks/:id/:token')
class PagerController {
  constructor(
    private readonly tokens: WebhookTokenService,
    private readonly messages: WebhookMessageService,
  ) {}

  @Post('pager')
  @HttpCode(204)
  @CredentialFree()
  @RateLimit('webhook:execute', { per: 'id', misses: 'webhook:miss' })
  @Accepts('raw')
  async page(@CurrentCall() call: Call, @Param() path: PagerPath): Promise<void> {
    const webhook = await this.tokens.resolve(call, path);
    const text = (await readBytes(call, 1000)).toString();
    await this.messages.create(webhook, readMessage({ content: `page: ${text}` }));
  }
}

@Module({ providers: [{ provide: WEBHOOK_MESSAGE_SINKS, useValue: search }] })
class SearchModule {}

@Module({
  imports: [WebhooksModule],
  controllers: [PagerController],
  providers: [{ provide: WEBHOOK_MESSAGE_SINKS, useValue: [archive] }],
})
class ArchiveModule {}

let service: Gatehouse;
let alice: Persona;
let hook: CreatedWebhook;
beforeAll(async () => {
  service = await gatehouse({ modules: [SearchModule, ArchiveModule] });
  alice = await person(service, 'alice');
});
beforeEach(async () => {
  hook = await newWebhook(service, alice, { name: 'Robot' });
  for (const sink of [search, archive]) {
    sink.heard.length = 0;
    sink.before = async () => {};
  }
});
afterAll(() => service.close());

const waitForMessages = (sink: Sink, count: number) => until(() => sink.heard.length >= count);
const send = async (content: string, to = hook) => {
  const { status, body } = await service.anonymous.post(`${to.path}?wait=true`, { content });
  expect(status).toBe(200);
  return body;
};
const reported = (sink: Sink) =>
  sink.heard.map(({ kind, message }) => [kind, 'content' in message ? message.content : message.id]);
const waiting = async () =>
  (await service.sql('SELECT count(*)::int AS n FROM webhook_event WHERE parked_at IS NULL'))[0]?.n;
const waitForSinkEvents = () => until(async () => (await waiting()) === 0);
/** Makes the next attempt due immediately. */
const nextAttempt = async () => {
  await service.sql('UPDATE webhook_queue SET next_attempt_at = now()');
  service.app.get(MessageEvents).wake();
};

describe('webhooks.md section 7, sinks', () => {
  test('every sink receives every message, with data of the webhook and without its token', async () => {
    const created = await send('one');
    const path = `${hook.path}/messages/${created.id}`;
    const edited = (await service.anonymous.patch(path, { content: 'two' })).body;
    await service.anonymous.delete(path);
    const webhook = { id: hook.id, applicationId: null, ownerId: alice.id, name: 'Robot' };
    for (const sink of [search, archive]) {
      await waitForMessages(sink, 3);
      const eventId = expect.stringMatching(/^\d+$/);
      expect(sink.heard).toEqual([
        { eventId, kind: 'create', webhook, message: created },
        { eventId, kind: 'update', webhook, message: edited },
        { eventId, kind: 'delete', webhook, message: { id: created.id } },
      ]);
      expect(new Set(sink.heard.map((event) => event.eventId)).size).toBe(3);
      expect(JSON.stringify(sink.heard)).not.toContain(hook.token);
    }
    expect(search.heard.map((event) => event.eventId)).toEqual(archive.heard.map((event) => event.eventId));
    await waitForSinkEvents();
  });

  test('a rejected or repeated message is not an event', async () => {
    await service.anonymous.post(hook.path, { content: ' ' });
    await service.anonymous.post(`${hook.path}x`, { content: 'x' });
    await service.anonymous.post(hook.path, { content: 'once', nonce: 'sinks-nonce-1' });
    await service.anonymous.post(hook.path, { content: 'again', nonce: 'sinks-nonce-1' });
    await waitForMessages(search, 1);
    await waitForSinkEvents();
    expect(reported(search)).toEqual([['create', 'once']]);
  });

  test('a sink that throws receives it again, with the same key; later messages wait', async () => {
    const keys: string[] = [];
    search.before = async ({ eventId, message }) => {
      keys.push(eventId);
      if (keys.length === 1) throw new Error(`canary-of-sink ${message.id}`);
    };
    await send('first');
    await until(
      async () =>
        (
          await service.sql(
            "SELECT 1 FROM webhook_queue WHERE sink = 'search' AND attempts = 1 AND next_attempt_at < now() + interval '10 seconds'",
          )
        ).length === 1,
    );
    await send('second');
    const other = await newWebhook(service, alice);
    await send('elsewhere', other);
    await waitForMessages(search, 1);
    expect(reported(search)).toEqual([['create', 'elsewhere']]);
    await waitForMessages(archive, 3);
    await nextAttempt();
    await waitForMessages(search, 3);
    expect(reported(search)).toEqual([
      ['create', 'elsewhere'],
      ['create', 'first'],
      ['create', 'second'],
    ]);
    expect(keys[0]).toBe(search.heard[1]?.eventId);
    expect(service.log.join('')).not.toContain('canary-of-sink');
    await waitForSinkEvents();
  });

  test('a slow sink delays neither the caller nor another sink', async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    search.before = () => released;
    for (const content of ['a', 'b', 'c']) await send(content);
    await waitForMessages(archive, 3);
    expect(search.heard).toEqual([]);
    release();
    await waitForMessages(search, 3);
    expect(reported(search).map(([, content]) => content)).toEqual(['a', 'b', 'c']);
    await waitForSinkEvents();
  });

  test('a sink that does not respond within 10 s receives it again', async () => {
    const restoreTimers = shortenTimers(10_000);
    search.before = () => new Promise(() => {});
    const { id } = await send('unanswered');
    const deferred = `SELECT 1 FROM webhook_event JOIN webhook_queue USING (sink, webhook_id)
      WHERE sink = 'search' AND message->>'id' = $1 AND attempts = 1 AND next_attempt_at < now() + interval '10 seconds'`;
    await until(async () => (await service.sql(deferred, [id])).length === 1);
    restoreTimers();
    search.before = async () => {};
    await nextAttempt();
    await waitForMessages(search, 1);
    expect(reported(search)).toEqual([['create', 'unanswered']]);
    await waitForSinkEvents();
  });

  test('after a day an event is parked and counted, and the next one is delivered', async () => {
    search.before = async ({ message }) => {
      if ('content' in message && message.content === 'hopeless') throw new Error('never');
    };
    await send('hopeless');
    await send('after it');
    await until(
      async () =>
        (await service.sql('SELECT 1 FROM webhook_queue WHERE attempts = 1 AND sink = $1', ['search'])).length > 0,
    );
    await waitForMessages(archive, 2);
    await service.sql(
      "UPDATE webhook_event SET created_at = now() - interval '25 hours' WHERE message->>'content' = 'hopeless'",
    );
    await nextAttempt();
    await waitForMessages(search, 1);
    expect(reported(search)).toEqual([['create', 'after it']]);
    const [parked] = await service.sql('SELECT sink, kind FROM webhook_event WHERE parked_at IS NOT NULL');
    expect(parked).toEqual({ sink: 'search', kind: 'create' });
    await service.sql(
      `INSERT INTO webhook_event (event_id, sink, webhook_id, kind, webhook, message, created_at)
       VALUES (1, 'removed', 1, 'create', '{}', '{}', now() - interval '9 days')`,
    );
    await runCleanup(service);
    const kept = await service.sql('SELECT sink FROM webhook_event');
    expect(kept).toEqual([{ sink: 'search' }]);
    await service.sql("UPDATE webhook_event SET parked_at = now() - interval '8 days'");
    await runCleanup(service);
    expect(await service.sql('SELECT sink FROM webhook_event')).toEqual([]);
    const metrics = await service.app.get(MetricsReader).text();
    expect(metrics).toContain('gatehouse_webhook_events_total{sink="search",outcome="parked"} 1');
  });
});

/** Returns every node of a query plan. */
function nodesOf(plan: Record<string, unknown>): Record<string, unknown>[] {
  return [plan, ...((plan.Plans as Record<string, unknown>[]) ?? []).flatMap(nodesOf)];
}

describe('webhooks.md section 7, a backlog', () => {
  const BACKLOG = Number(process.env.SINK_BACKLOG ?? 20_000);

  test(`${BACKLOG} waiting events, of one or very many webhooks, make a claim no more expensive than one event`, async () => {
    await waitForSinkEvents();
    for (const webhooks of [1, Math.ceil(BACKLOG / 2)]) {
      for (let from = 0; from < BACKLOG; from += 100_000) {
        await service.sql(
          `INSERT INTO webhook_event (event_id, sink, webhook_id, kind, webhook, message)
           SELECT n, 'backlog', 1 + n % $3::int, 'create', '{}', '{"id": "1"}' FROM generate_series($1::int, $2::int) n`,
          [from + 1, Math.min(BACKLOG, from + 100_000), webhooks],
        );
      }
      await service.sql(
        `INSERT INTO webhook_queue (sink, webhook_id) SELECT DISTINCT sink, webhook_id FROM webhook_event
         WHERE sink = 'backlog'`,
      );
      // The index still contains events that were just handled, as long as another transaction may see them.
      await service.sql(
        `WITH gone AS (DELETE FROM webhook_event WHERE sink = 'backlog' AND id IN (
           SELECT id FROM webhook_event WHERE sink = 'backlog' AND webhook_id = 1 ORDER BY id LIMIT $1) RETURNING id)
         UPDATE webhook_queue SET done_id = coalesce((SELECT max(id) FROM gone), 0) WHERE webhook_id = 1`,
        [Math.min(BACKLOG / webhooks / 2, 100_000)],
      );
      await service.sql('ANALYZE webhook_event, webhook_queue');
      const explained = service.app.get(Database).transaction(async (tx) => {
        const [row] = await tx.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${CLAIM_DUE_WEBHOOK}`, ['backlog']);
        throw Object.assign(new Error('undone'), { explained: row['QUERY PLAN'][0] });
      });
      const { explained: result } = await explained.catch((error) => error);
      if (process.env.SINK_BACKLOG) process.stdout.write(`claim: ${result['Execution Time']} ms\n`);
      const nodes = nodesOf(result.Plan);
      const events = nodes.filter((node) => node['Relation Name'] === 'webhook_event');
      expect(events.map((node) => [node['Node Type'], node['Actual Rows'], node['Actual Loops']])).toEqual([
        ['Index Scan', 1, 1],
      ]);
      expect(nodes.map((node) => Number(node['Rows Removed by Filter'] ?? 0))).not.toContain(BACKLOG);
      expect(Number(result.Plan['Shared Hit Blocks']) + Number(result.Plan['Shared Read Blocks'])).toBeLessThan(100);
      await service.sql("DELETE FROM webhook_event WHERE sink = 'backlog'");
      await service.sql("DELETE FROM webhook_queue WHERE sink = 'backlog'");
    }
  });

  test('parallel messages of one webhook are delivered in the order of their commits, each once', async () => {
    const sent = await Promise.all(Array.from({ length: 32 }, (_, n) => send(String(n))));
    await waitForMessages(search, 32);
    await waitForSinkEvents();
    const order = await service.sql('SELECT id FROM webhook_message WHERE webhook_id = $1 ORDER BY id', [hook.id]);
    expect(order).toHaveLength(32);
    expect(
      reported(search)
        .map(([, content]) => content)
        .sort(),
    ).toEqual(sent.map(({ content }) => content).sort());
    expect(reported(archive)).toEqual(reported(search));
    await until(async () => (await service.sql('SELECT FROM webhook_queue')).length === 0);
  });
});

describe('webhooks.md section 7, callback formats of an extension', () => {
  const page = (path: string) =>
    service.anonymous.post(path, new TextEncoder().encode('disk full'), { headers: { 'content-type': 'text/plain' } });

  test('a controller of the extension verifies the token and posts', async () => {
    expect((await page(`${hook.path}/pager`)).status).toBe(204);
    const { body } = await service.as(alice).get(`/v1/webhooks/${hook.id}/messages`);
    expect(body).toMatchObject([{ content: 'page: disk full', author: { username: 'Robot' } }]);
    await waitForMessages(search, 1);
    expect(reported(search)).toEqual([['create', 'page: disk full']]);
  });

  test('a wrong token is an unknown webhook there also', async () => {
    expectApiError(await page(`${hook.path}x/pager`), 'UNKNOWN_WEBHOOK');
  });
});

describe('webhooks.md section 7, registration', () => {
  test('sinks with the same name stop the startup', async () => {
    @Module({ providers: [{ provide: WEBHOOK_MESSAGE_SINKS, useValue: [new Sink('same'), new Sink('same')] }] })
    class TwinsModule {}
    await expect(gatehouse({ modules: [TwinsModule] })).rejects.toThrow(
      'Two sinks of webhook messages have the same name',
    );
  });

  test('without a sink nothing is written', async () => {
    await withGatehouse({}, async (bare) => {
      const owner = await person(bare, 'owner');
      const own = await newWebhook(bare, owner);
      expect((await bare.anonymous.post(own.path, { content: 'x' })).status).toBe(204);
      expect(await bare.sql('SELECT * FROM webhook_event')).toEqual([]);
    });
  });
});
