import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Call, callOf, type TransferTracker } from '../../src/policy/call.js';
import type { RoutePlan } from '../../src/policy/plan.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const transfers = {} as TransferTracker;

let server: Server;
let hear: RequestListener;
beforeAll(async () => {
  server = createServer((req, res) => hear(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends these lines to a server. Returns the parsed call, and the response after `handle` has processed the call. */
async function sent(lines: string[], handle = (call: Call) => void call.res.end()) {
  const handled = new Promise<Call>((resolve, reject) => {
    hear = (req, res) => {
      try {
        const call = new Call(req, res, transfers);
        handle(call);
        resolve(call);
      } catch (error) {
        reject(error);
        res.destroy();
      }
    };
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  const [call, response] = await Promise.all([handled, text(socket)]);
  const [head = '', body = ''] = response.split('\r\n\r\n');
  return { call, head: head.split('\r\n'), body };
}

const GET = ['GET /v1/a%20b?c=d HTTP/1.1', 'Host: one.example'];
const arrived = async (...lines: string[]) => (await sent([...GET, ...lines])).call;

describe('a new call', () => {
  test('keeps the target unchanged', async () => {
    expect((await arrived()).target).toBe('/v1/a%20b?c=d');
  });

  test('keeps every line of Authorization, and no other header', async () => {
    expect((await arrived()).authorization).toEqual([]);
    const lines = ['Authorization: one', 'Accept-Ranges: two', 'X-Authorization: three', 'AUTHORIZATION: four'];
    expect((await arrived(...lines)).authorization).toEqual(['one', 'four']);
  });

  test('counts its lines, and those of Host separately', async () => {
    const { headerLines, hosts } = await arrived('From: here', 'Host-X: here', 'HOST: two.example', 'Accept: a');
    expect([headerLines, hosts]).toEqual([6, 2]);
    const { call } = await sent(['GET / HTTP/1.0']);
    expect([call.headerLines, call.hosts]).toEqual([1, 0]);
  });

  test.each(['a', 'A-Z_a.z-09', 'x'.repeat(64)])('has the ID that it was sent with: %s', async (id) => {
    expect((await arrived(`X-Request-ID: ${id}`)).id).toBe(id);
  });

  test.each([
    [[]],
    [['X-Request-ID:']],
    [[`X-Request-ID: ${'x'.repeat(65)}`]],
    [['X-Request-ID: a b']],
    [['X-Request-ID: (a']],
    [['X-Request-ID: a)']],
    [['X-Request-ID: a', 'X-Request-ID: a']],
  ])('has a new ID if none of the correct form was sent: %j', async (lines) => {
    const { id } = await arrived(...lines);
    expect(id).toMatch(UUID_V4);
    expect((await arrived(...lines)).id).not.toBe(id);
  });

  test('has the first 512 characters of its user agent, if it has one', async () => {
    expect((await arrived()).userAgent).toBe('');
    expect((await arrived(`User-Agent: a${'x'.repeat(600)}`)).userAgent).toBe(`a${'x'.repeat(511)}`);
  });

  test('has no identity, has consumed nothing and has no side effects', async () => {
    expect(await arrived('Authorization: one')).toMatchObject({
      ...{ address: '', isOperational: false, identity: null, params: {}, transfers },
      ...{ sudoFactorSpent: false, isAudited: false, isDraining: false, hasPendingHeaders: false },
    });
  });

  test('is named by method and template of its route, never by its target', async () => {
    const call = await arrived();
    expect(call.pattern).toBe('unmatched');
    call.plan = { method: 'GET', path: '/v1/:name' } as RoutePlan;
    expect(call.pattern).toBe('GET /v1/:name');
  });
});

describe('the headers of a response', () => {
  test('are on the response before other code can read them', async () => {
    await sent(GET, (call) => {
      const { res } = call;
      call.setInitialHeaders(['X-One', '1', 'X-Two', '2']);
      call.header('X-Three', '3');
      expect([call.hasPendingHeaders, res.getHeaderNames()]).toEqual([true, []]);
      call.flushHeaders();
      expect([call.hasPendingHeaders, { ...res.getHeaders() }]).toEqual([
        false,
        { 'x-one': '1', 'x-two': '2', 'x-three': '3' },
      ]);
      call.header('X-Four', '4');
      expect(res.getHeader('X-Four')).toBe('4');
      res.removeHeader('X-One');
      call.flushHeaders();
      expect(res.hasHeader('X-One')).toBe(false);
      res.end();
    });
  });

  test.each<[name: string, begin: (call: Call) => void]>([
    ['nobody has looked at them', () => {}],
    ['somebody has', (call) => call.flushHeaders()],
  ])('are sent with a text if %s', async (_name, begin) => {
    const { head, body } = await sent(GET, (call) => {
      call.setInitialHeaders(['X-One', '1']);
      begin(call);
      call.res.statusCode = 404;
      call.sendText('{"ö":"€"}', 'application/json; charset=utf-8');
      expect(call.hasPendingHeaders).toBe(false);
    });
    expect(head[0]).toBe('HTTP/1.1 404 Not Found');
    expect(head).toEqual(
      expect.arrayContaining(['X-One: 1', 'Content-Type: application/json; charset=utf-8', 'Content-Length: 12']),
    );
    expect(body).toBe('{"ö":"€"}');
  });

  test('are sent without a body to a HEAD request', async () => {
    const { head, body } = await sent(['HEAD / HTTP/1.1', 'Host: one.example'], (call) => {
      call.setInitialHeaders(['X-One', '1']);
      call.sendText('all of it', 'text/plain');
    });
    expect(head).toEqual(expect.arrayContaining(['HTTP/1.1 200 OK', 'X-One: 1', 'Content-Length: 9']));
    expect(body).toBe('');
  });
});

describe('the call behind a request', () => {
  test("is the same for each framework's request object", async () => {
    const call = await arrived();
    call.req.call = call;
    expect(callOf(call.req)).toBe(call);
    expect(callOf({ raw: call.req })).toBe(call);
  });

  test('is an error if the request did not pass the entry point', () => {
    expect(() => callOf({} as IncomingMessage)).toThrow('The request did not pass the front door');
    expect(() => callOf({ raw: {} as IncomingMessage })).toThrow('The request did not pass the front door');
  });
});
