import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate, type Persona, person } from '../support/index.js';

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: { key: string; value: Record<string, unknown> }[];
  readonly status: { code?: number };
}

describe('conventions.md 13 traces', () => {
  let collector: Server;
  let service: ServiceProcess;
  let alice: Persona;
  let sent = '';
  const spans: SentSpan[] = [];

  beforeAll(async () => {
    collector = createServer(async (req, res) => {
      const body = await text(req);
      sent += `${req.headers.authorization}\n${body}\n`;
      for (const { scopeSpans } of JSON.parse(body).resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      res.setHeader('Content-Type', 'application/json');
      res.end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    service = await ServiceProcess.ready({
      DATABASE_URL: await copyTemplate(),
      TRUSTED_PROXIES: '127.0.0.9',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=collector',
      OTEL_SERVICE_NAME: 'front-door',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    alice = await person(service, 'alice');
  });
  afterAll(async () => {
    await endProcesses();
    collector.close();
  });

  /** Waits for the span of the request with this ID. */
  async function spanOf(id: string): Promise<SentSpan & { readonly by: Record<string, unknown> }> {
    const found = () =>
      spans.find(({ attributes }) =>
        attributes.some(({ key, value }) => key === 'gatehouse.request_id' && value.stringValue === id),
      );
    await until(async () => found() !== undefined);
    const span = found() as SentSpan;
    const by = Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    return { ...span, by };
  }

  test('a request is a span with its route template, policy, status and error code', async () => {
    await service.as(alice).with({ 'x-request-id': 'one' }).get('/v1/users/@me?secret=canary');
    expect(await spanOf('one')).toMatchObject({
      name: 'GET /v1/users/@me',
      by: {
        'http.request.method': 'GET',
        'http.route': '/v1/users/@me',
        'http.response.status_code': 200,
        'gatehouse.policy': 'Authenticated',
      },
    });
    await service.as('Bearer canary').with({ 'x-request-id': 'two' }).get('/v1/users/@me');
    expect((await spanOf('two')).by).toMatchObject({
      'http.response.status_code': 401,
      'gatehouse.outcome': 'UNAUTHORIZED',
    });
  });

  test('the trace of a trusted proxy is continued, that of any other caller is not', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await service.anonymous.with({ ...traced, 'x-request-id': 'three' }).get('/.well-known/service');
    expect((await spanOf('three')).traceId).not.toBe(traceId);
    const proxied = { ...traced, 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'four' };
    await service.anonymous.from('127.0.0.9').with(proxied).get('/.well-known/service');
    expect(await spanOf('four')).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  });

  test('the standard variables apply, and no secret is sent', async () => {
    expect(sent).toContain('"front-door"');
    expect(sent).toMatch(/^collector$/m);
    for (const secret of ['canary', alice.authorization, alice.email, alice.id, '203.0.113.7']) {
      expect(sent).not.toContain(secret);
    }
  });

  test('an unavailable collector neither disturbs requests nor delays the shutdown', async () => {
    collector.closeAllConnections();
    collector.close();
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.err).toBe('');
  });
});
