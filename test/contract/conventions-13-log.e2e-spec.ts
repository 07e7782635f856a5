import { subnetKey } from '../../src/core/address.js';
import { Log } from '../../src/core/log.js';
import { eventually, type Gatehouse, GatewayClient, gatehouse, type Persona, person } from '../support/index.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACE_ID = /^[\da-f]{32}$/;
/** A random one, and not a given one. */
const OWN_TRACE_ID = new RegExp(`^(?!${TRACE}|0{32})[\\da-f]{32}$`);
const INFO = 30;

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({
    env: { LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.9', LOG_CLIENT_NETWORK: 'true', LOG_ACCOUNT_ID: 'true' },
  });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

type Line = Record<string, unknown> & { readonly msg: string };
const lines = (words: string): Line[] => service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === words);
const lineOf = (id: string) =>
  eventually(`the log line of ${id}`, async () =>
    service.log.map((line) => JSON.parse(line)).find(({ request_id }) => request_id === id),
  );

/** Returns the log line of a rejected request with these headers, of a client behind a trusted proxy. */
async function rejected(address: string, headers: Record<string, string> = {}): Promise<Line> {
  const client = service
    .as(alice)
    .from('127.0.0.9')
    .with({ 'x-forwarded-for': address, ...headers });
  const response = await client.get('/v1/oauth2/applications/1');
  expect(response.status).toBe(404);
  return lineOf(response.headers.get('x-request-id') as string);
}

describe('conventions.md 13: the log', () => {
  test('every line has the version and a trace ID', () => {
    expect(service.log.length).toBeGreaterThan(0);
    for (const line of service.log) {
      expect(JSON.parse(line)).toMatchObject({ version: 'dev', trace_id: expect.stringMatching(TRACE_ID) });
      expect(line.match(/"trace_id"/g)).toHaveLength(1);
    }
  });

  test('each request has its own trace ID, and lines without a request share one', async () => {
    const requests = [await rejected('198.51.100.7'), await rejected('198.51.100.7')];
    const log = service.app.get(Log);
    log.warn('first line of the process');
    log.warn('second line of the process');
    const own = service.log.slice(-2).map((line) => JSON.parse(line).trace_id);
    expect(own[0]).toBe(own[1]);
    expect(new Set([...requests.map(({ trace_id }) => trace_id), own[0]]).size).toBe(3);
  });

  test('each gateway socket has its own trace ID', async () => {
    await service.sql('ALTER TABLE session RENAME TO absent');
    const attempts = [1, 2].map(async () => {
      const client = await GatewayClient.connect(service);
      client.send({ op: 2, d: { token: alice.authorization } });
      await client.closed();
    });
    await Promise.all(attempts);
    await service.sql('ALTER TABLE absent RENAME TO session');
    const ids = lines('starting a gateway session failed').map(({ trace_id }) => trace_id);
    expect(new Set(ids).size).toBe(2);
  });

  test('a line has the trace ID of a trusted proxy', async () => {
    const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;
    expect(await rejected('198.51.100.7', { traceparent })).toMatchObject({ trace_id: TRACE });
  });

  test.each([
    ['zero', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['an unknown version', `ff-${TRACE}-00f067aa0ba902b7-01`],
    ['other text', `${TRACE}\u00e9`],
  ])('a trace ID is not read from an invalid header: %s', async (_, traceparent) => {
    expect((await rejected('198.51.100.7', { traceparent })).trace_id).toMatch(OWN_TRACE_ID);
  });

  test('a trace ID of a client is not logged', async () => {
    const response = await service
      .as(alice)
      .with({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })
      .get('/v1/users/1');
    const line = await lineOf(response.headers.get('x-request-id') as string);
    expect(line.trace_id).toMatch(OWN_TRACE_ID);
  });

  test.each([
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
  ])('if enabled, a line has the network of the client and the account of the caller: %s', async (address, network) => {
    expect(subnetKey(address)).toBe(network);
    const line = await rejected(address);
    expect(line).toMatchObject({ network, account: alice.id });
    expect(JSON.stringify(line)).not.toContain(address);
  });

  test('above 50 lines per second, rejected requests are only counted', async () => {
    // The window of earlier lines ends first.
    await eventually('a new window', async () => {
      const before = lines('request rejected').length;
      await service.anonymous.get('/nowhere');
      return lines('request rejected').length > before ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const from = service.log.length;
    await Promise.all(Array.from({ length: 120 }, () => service.anonymous.get('/nowhere')));
    const REPORT = 'rejected requests were not logged';
    const since = (): Line[] => service.log.slice(from).map((line) => JSON.parse(line));
    const report = await eventually('the report of the window', async () => since().find(({ msg }) => msg === REPORT));
    expect(report).toMatchObject({ level: INFO });
    // On a slow machine, the requests are in more than one window.
    await eventually('the reports of all windows', async () => {
      const counts = since().map((line) => (line.msg === REPORT ? Number(line.NOT_FOUND) : 1));
      return counts.reduce((sum, count) => sum + count, 0) === 120 || undefined;
    });
    const messages = since().flatMap(({ msg }) => (msg === 'slow request' ? [] : [msg]));
    expect(messages.indexOf(REPORT)).toBe(50);
    expect(new Set(messages.slice(0, 50))).toEqual(new Set(['request rejected']));
  });
});
