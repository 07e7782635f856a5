import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError } from '../../src/core/config/start-error.js';
import { loadConfig } from '../../src/features.js';
import { Network, OutboundFault } from '../../src/platform/outbound/network.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { freePort } from '../machine/ports.js';
import { certificate } from '../support/certificate.js';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const SITE = '93.184.216.34';
const RULES = { ports: [], ownHosts: new Set<string>() };

class FakeNetwork extends Network {
  port = 0;

  override async resolve(name: string): Promise<readonly string[]> {
    return name.endsWith('.inner.example') ? ['127.0.0.1'] : [SITE];
  }

  override endpointFor(address: string, port: number) {
    return address === SITE ? { address: '127.0.0.1', port: this.port } : { address, port };
  }
}

const reasonOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error) => (error instanceof OutboundFault ? error.reason : String(error)),
  );

/** The requests that the test server received, and its request handler. */
let requests: IncomingMessage[] = [];
let response: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => void res.end('fine');
const listener: RequestListener = (req, res) => {
  requests.push(req);
  response(req, res);
};

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function stop(server: http.Server | https.Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const network = new FakeNetwork();
const server = http.createServer(listener);
let origin: string;
let outbound: Outbound;

beforeAll(async () => {
  network.port = await listen(server);
  origin = `http://127.0.0.1:${network.port}`;
  outbound = new Outbound(loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET }), network);
});
beforeEach(() => {
  requests = [];
  response = (_req, res) => void res.end('fine');
});
afterAll(async () => {
  await outbound.onApplicationShutdown();
  await stop(server);
});

/** Gives each fetch its own host, so that no fetch waits for the connection of another one. */
let hosts = 0;
const foreign = (over: { maxBytes?: number; timeoutMs?: number; url?: string } = {}) =>
  outbound.fetchForUser({
    ...{ url: `http://site${hosts++}.example.com/`, rules: RULES, client: '192.0.2.1', maxBytes: 1000 },
    ...over,
  });

const readAll = async (over: Parameters<typeof foreign>[0] = {}): Promise<string> => {
  const { body } = await foreign(over);
  let text = '';
  for await (const chunk of body) text += chunk;
  return text;
};

describe('conventions.md section 13: outbound requests', () => {
  test('the body of a response is read completely, with any status', async () => {
    response = (_req, res) => void res.writeHead(418, { 'x-tea': 'green' }).end('short and stout');
    const { status, headers, body } = await outbound.request({ url: `${origin}/a?b=c` });
    expect([status, headers['x-tea'], body.toString()]).toEqual([418, 'green', 'short and stout']);
    expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/a?b=c']]);
  });

  test('a redirect is returned and not followed', async () => {
    response = (_req, res) => void res.writeHead(302, { location: `${origin}/elsewhere` }).end();
    expect((await outbound.request({ url: origin })).status).toBe(302);
    expect(requests).toHaveLength(1);
  });

  test('no cookie, referrer, credential or proxy header is sent', async () => {
    response = (_req, res) => void res.writeHead(200, { 'set-cookie': 'a=b' }).end();
    await outbound.request({ url: origin });
    await outbound.request({ url: origin, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
    expect(requests.map(({ headers }) => Object.keys(headers).sort())).toEqual([
      ['accept-encoding', 'connection', 'host', 'user-agent'],
      ['accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
    ]);
  });

  test('a fetch for a user sends four headers of its own', async () => {
    const answered = await outbound.fetchForUser({
      url: 'http://headers.example.com/',
      rules: RULES,
      client: '192.0.2.1',
      accept: 'image/*',
      range: 'bytes=0-9',
      maxBytes: 10,
    });
    answered.body.destroy();
    const { host, connection, ...sent } = requests[0]?.headers ?? {};
    expect([host, connection]).toEqual(['headers.example.com', 'close']);
    expect(sent).toEqual({
      'user-agent': 'GatehouseMedia/1',
      accept: 'image/*',
      'accept-encoding': 'identity',
      range: 'bytes=0-9',
    });
  });

  test('a URL that is not allowed leaves no timer with an unhandled rejection', async () => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = () => timeout.call(AbortSignal, 1);
    try {
      for (const url of ['ftp://x', 'https://user:password@x/', 'words']) {
        expect([url, await outbound.mayReach(url, 'public')]).toEqual([url, false]);
      }
      // Jest fails a test if a promise is rejected without a handler.
      await delay(20);
    } finally {
      AbortSignal.timeout = timeout;
    }
  });

  test('proxy variables are ignored', async () => {
    let proxied = 0;
    const proxy = http.createServer((_req, res) => void res.end()).on('connection', () => proxied++);
    const url = `http://127.0.0.1:${await listen(proxy)}`;
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : url;
    const fresh = new Outbound(loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET }), network);
    try {
      expect((await fresh.request({ url: origin })).status).toBe(200);
      expect(proxied).toBe(0);
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
      await fresh.onApplicationShutdown();
      await stop(proxy);
    }
  });

  test('a line break in a header or a path is never sent', async () => {
    const headers = { 'x-name': 'a\r\nx-injected: b' };
    expect(await reasonOf(outbound.request({ url: origin, headers }))).toBe('unreachable');
    await outbound.request({ url: `${origin}/a\r\nx-injected: b` });
    expect(requests.map(({ url, headers: sent }) => [url, sent['x-injected']])).toEqual([
      ['/ax-injected:%20b', undefined],
    ]);
  });

  test('only http and https without user info', async () => {
    for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense', `http://a:b@127.0.0.1:${network.port}/`]) {
      expect({ url, reason: await reasonOf(outbound.request({ url })) }).toEqual({ url, reason: 'target' });
    }
    expect(requests).toHaveLength(0);
  });

  test('a target that must be public is checked when connecting, for names and literals', async () => {
    const { port } = network;
    for (const url of [origin, `http://a.inner.example:${port}`, `http://[::1]:${port}`, `http://2130706433:${port}`]) {
      expect({ url, reason: await reasonOf(outbound.request({ url, addressPolicy: 'public' })) }).toEqual({
        url,
        reason: 'target',
      });
    }
    expect(requests).toHaveLength(0);
    expect((await outbound.request({ url: `http://a.inner.example:${network.port}` })).status).toBe(200);
    expect((await outbound.request({ url: 'http://site.example.com/', addressPolicy: 'public' })).status).toBe(200);
  });
});

describe('outbound requests are bounded', () => {
  test('a response that is too long is rejected, by declared or counted length', async () => {
    response = (_req, res) => void res.end('x'.repeat(1001));
    expect(await reasonOf(outbound.request({ url: origin, maxBytes: 1000 }))).toBe('size');
    expect(await reasonOf(foreign())).toBe('size');
    response = (_req, res) => {
      res.write('x'.repeat(600));
      res.end('x'.repeat(600));
    };
    expect(await reasonOf(outbound.request({ url: origin, maxBytes: 1000 }))).toBe('size');
    expect(await reasonOf(readAll())).toBe('size');
    response = (_req, res) => void res.end('x'.repeat(1000));
    expect(await readAll()).toHaveLength(1000);
  });

  test('an endless response is cut off at the limit', async () => {
    let isOpen = true;
    response = (_req, res) => {
      res.on('close', () => {
        isOpen = false;
      });
      const more = () => isOpen && res.write('x'.repeat(100_000), () => setImmediate(more));
      more();
    };
    expect(await reasonOf(readAll({ maxBytes: 300_000 }))).toBe('size');
  });

  test('a timeout applies before the response and within it', async () => {
    response = () => {};
    expect(await reasonOf(outbound.request({ url: origin, timeoutMs: 50 }))).toBe('slow');
    expect(await reasonOf(foreign({ timeoutMs: 50 }))).toBe('slow');
    response = (_req, res) => void res.write('x');
    expect(await reasonOf(outbound.request({ url: origin, timeoutMs: 50 }))).toBe('slow');
    expect(await reasonOf(readAll({ timeoutMs: 50 }))).toBe('slow');
  });

  test('a slow trickle is limited by the total time', async () => {
    response = (_req, res) => {
      const timer = setInterval(() => res.write('x'), 5);
      res.on('close', () => clearInterval(timer));
    };
    expect(await reasonOf(readAll({ timeoutMs: 100 }))).toBe('slow');
  });

  test('a header block above 16 KiB is rejected', async () => {
    response = (_req, res) => void res.writeHead(200, { 'x-long': 'x'.repeat(17_000) }).end();
    expect(await reasonOf(foreign())).toBe('headers');
    expect(await reasonOf(outbound.request({ url: origin }))).toBe('headers');
  });

  test('a response of another protocol, a closed port and a broken response are unreachable', async () => {
    response = (_req, res) => void res.socket?.destroy();
    expect(await reasonOf(outbound.request({ url: origin }))).toBe('unreachable');
    response = (_req, res) => void res.socket?.end('SSH-2.0-OpenSSH_9\r\n');
    expect(await reasonOf(foreign())).toBe('unreachable');
    response = (_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('x', () => res.socket?.destroy());
    };
    expect(await reasonOf(readAll())).toBe('unreachable');
    expect(await reasonOf(outbound.request({ url: `http://127.0.0.1:${await freePort()}/` }))).toBe('unreachable');
  });

  test('of 17 parallel fetches to one host, the last is rejected; ended ones free their places', async () => {
    const waiting: ServerResponse[] = [];
    response = (_req, res) => void waiting.push(res);
    const url = 'http://crowded.example.com/';
    const fetches = Array.from({ length: 16 }, () => readAll({ url }));
    expect(await reasonOf(foreign({ url }))).toBe('busy');
    while (waiting.length < 16) await new Promise((resolve) => setImmediate(resolve));
    for (const res of waiting) res.end('done');
    expect(await Promise.all(fetches)).toEqual(Array(16).fill('done'));
    response = (_req, res) => void res.end('again');
    expect(await readAll({ url })).toBe('again');
    for (let attempt = 0; attempt < 40; attempt++) (await foreign({ url })).body.destroy();
    expect(await readAll({ url })).toBe('again');
  });
});

describe('sso.md section 6: outbound connections use NODE_EXTRA_CA_CERTS', () => {
  const trusted = certificate('idp.example.com', '127.0.0.1');
  const secure = https.createServer({ cert: trusted.cert, key: trusted.key }, listener);
  let port: number;
  const clients: Outbound[] = [];
  const client = (env: Record<string, string> = {}): Outbound => {
    const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET, ...env });
    const one = new Outbound(config, new FakeNetwork());
    clients.push(one);
    return one;
  };

  beforeAll(async () => {
    port = await listen(secure);
  });
  afterAll(async () => {
    for (const one of clients) await one.onApplicationShutdown();
    await stop(secure);
  });

  test('an unknown authority is rejected, one from the file is trusted', async () => {
    const url = `https://127.0.0.1:${port}/`;
    expect(await reasonOf(client().request({ url }))).toBe('certificate');
    expect((await client({ NODE_EXTRA_CA_CERTS: trusted.path }).request({ url })).status).toBe(200);
  });

  test('the certificate must name the host', async () => {
    const one = client({ NODE_EXTRA_CA_CERTS: trusted.path });
    expect(await reasonOf(one.request({ url: `https://localhost.inner.example:${port}/` }))).toBe('certificate');
    expect(requests).toHaveLength(0);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a server that demands a certificate of the service has no bad one, over %s',
    async (maxVersion) => {
      const { cert, key } = trusted;
      const demanding = https.createServer({
        cert,
        key,
        ca: cert,
        requestCert: true,
        rejectUnauthorized: true,
        maxVersion,
      });
      const url = `https://127.0.0.1:${await listen(demanding)}/`;
      expect(await reasonOf(client({ NODE_EXTRA_CA_CERTS: trusted.path }).request({ url }))).toBe('unreachable');
      await stop(demanding);
    },
  );

  test('a file without a certificate stops the startup', () => {
    for (const NODE_EXTRA_CA_CERTS of ['/nowhere.pem', import.meta.filename]) {
      expect(() => loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET, NODE_EXTRA_CA_CERTS })).toThrow(
        ConfigurationError,
      );
    }
  });
});
