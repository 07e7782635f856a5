import { hash } from 'node:crypto';
import { appendFileSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { Controller, Get, Module } from '@nestjs/common';
import { Config } from '../../src/core/config/config.js';
import { opaqueTarget, signatureOf } from '../../src/media/addresses/signature.js';
import { type Call, RESPONSE_HANDLED } from '../../src/policy/call.js';
import { CurrentCall, Public } from '../../src/policy/decorators.js';
import { describeUnless, missing } from '../machine/programs.js';
import { type ReusingProxy, reusingProxy } from '../machine/proxies.js';
import { until } from '../machine/service-process.js';
import { type Gatehouse, gatehouse, OriginServer, type Persona, pathOf, person, uploadFile } from '../support/index.js';

const SECRET = 'a-signing-secret-of-more-than-thirty-two-characters';
const BODY = JSON.stringify({ id: 'stolen' });
/** Surplus bytes that form a complete response, which the next client on the connection would receive. */
const STOLEN = ['HTTP/1.1 200 OK', 'Content-Type: application/json', `Content-Length: ${BODY.length}`, '', BODY].join(
  '\r\n',
);
const LENGTH = 5000;
const OWED = Buffer.alloc(LENGTH, 'x');

/** Handlers of an extension that declare a different length than they send. */
@Controller('v1/probe')
class LiarController {
  private lie({ res }: Call, ...pieces: readonly (string | Buffer)[]): typeof RESPONSE_HANDLED {
    res.writeHead(200, { 'Content-Length': LENGTH, 'Content-Type': 'text/plain' });
    pipeline(Readable.from(pieces.map((piece) => Buffer.from(piece))), res, () => {});
    return RESPONSE_HANDLED;
  }

  @Get('more-at-once')
  @Public()
  atOnce(@CurrentCall() { res }: Call) {
    res.writeHead(200, { 'Content-Length': LENGTH, 'Content-Type': 'text/plain' });
    res.end(Buffer.concat([OWED, Buffer.from(STOLEN)]));
    return RESPONSE_HANDLED;
  }

  @Get('more-in-pieces')
  @Public()
  inPieces(@CurrentCall() call: Call) {
    return this.lie(call, OWED, STOLEN);
  }

  @Get('less')
  @Public()
  less(@CurrentCall() call: Call) {
    return this.lie(call, 'beginning');
  }

  @Get('nothing')
  @Public()
  nothing(@CurrentCall() { res }: Call) {
    res.writeHead(200, { 'Content-Length': LENGTH, 'Content-Type': 'text/plain' });
    res.end();
    return RESPONSE_HANDLED;
  }
}

@Module({ controllers: [LiarController] })
class LiarModule {}

let origin: OriginServer;
let service: Gatehouse;
let victims: Persona[];
beforeAll(async () => {
  origin = await new OriginServer().open();
  service = await gatehouse({
    ...{ network: origin, modules: [LiarModule] },
    env: { MEDIA_SIGNING_SECRETS: SECRET, ABUSE_BANS: 'off' },
  });
  victims = await Promise.all(['alice', 'bob', 'carol', 'dave'].map((name) => person(service, name)));
});
afterAll(async () => {
  await service.close();
  await origin.close();
});

let hosts = 0;
function foreignPath(): string {
  const signed = opaqueTarget(`http://site${hosts++}.example.com/a.mp4`);
  return `/media/external/${signatureOf(SECRET, signed)}/${signed}`;
}

const RANGE = `Range: bytes=0-${LENGTH - 1}`;

/** An origin that answers a range request without declaring a length. */
const part = (response: (res: ServerResponse) => void): string => {
  origin.respond = (_req, res) => {
    res.writeHead(206, { 'content-type': 'video/mp4', 'content-range': `bytes 0-${LENGTH - 1}/${10 * LENGTH}` });
    response(res);
  };
  return foreignPath();
};

/** A stored attachment of `LENGTH` bytes whose file is changed from outside. */
async function spoiled(spoil: (file: string) => void): Promise<string> {
  const path = pathOf((await uploadFile(service, victims[0] as Persona, 'large.bin', OWED)).url);
  const digest = hash('sha256', decodeURIComponent(path.replace('/media/attachments/', '')), 'hex');
  spoil(join(service.app.get(Config).media.root, 'media', digest.slice(0, 2), digest));
  return path;
}

interface Lie {
  /** A path whose response is longer or shorter than declared. */
  readonly path: () => Promise<string> | string;
  readonly lines?: readonly string[];
}

const LIES: Readonly<Record<string, Lie>> = {
  'an origin whose part has more, in one piece': {
    path: () => part((res) => res.end(Buffer.concat([OWED, Buffer.from(STOLEN)]))),
    lines: [RANGE],
  },
  'an origin whose part has more, in a piece of its own': {
    path: () => part((res) => res.write(OWED, () => res.end(STOLEN))),
    lines: [RANGE],
  },
  'an origin whose part has less': { path: () => part((res) => res.end('beginning')), lines: [RANGE] },
  'an origin that breaks off': {
    path: () => {
      origin.respond = (_req, res) => {
        res.writeHead(200, { 'content-type': 'video/mp4', 'content-length': LENGTH });
        res.write(OWED.subarray(0, LENGTH - 100), () => res.socket?.destroy());
      };
      return foreignPath();
    },
  },
  'a stored file that has grown': { path: () => spoiled((file) => appendFileSync(file, STOLEN)) },
  'a stored file that has shrunk': { path: () => spoiled((file) => truncateSync(file, 100)) },
  'a part of a stored file that has shrunk': {
    path: () => spoiled((file) => truncateSync(file, 100)),
    lines: ['Range: bytes=50-'],
  },
  'a handler of a team that writes more at once': { path: () => '/v1/probe/more-at-once' },
  'a handler of a team that writes more in pieces': { path: () => '/v1/probe/more-in-pieces' },
  'a handler of a team that writes less': { path: () => '/v1/probe/less' },
  'a handler of a team that writes nothing': { path: () => '/v1/probe/nothing' },
};

/** Paths whose responses have the declared length, one for each part of the service that declares one. */
const HONEST = [
  ...['/health/live', '/metrics', '/.well-known/service', '/nowhere', '/openapi.json', '/docs', '/docs/start.js'],
  ...['/docs/swagger-ui.css', '/login', '/guides/index.html', '/robots.txt', '/v1/users/@me'],
];

const request = (method: string, path: string, ...lines: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: gatehouse.test', ...lines, '', ''].join('\r\n');

/** A connection, and everything received on it. */
class Line {
  text = '';
  isClosed = false;
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const end = () => {
      this.isClosed = true;
    };
    this.socket.setEncoding('latin1').on('data', (chunk) => {
      this.text += chunk;
    });
    this.socket.on('end', end).on('close', end).on('error', end);
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** The body of the first response so far, and its declared length. */
  get body(): { bytes: string; declared: number } | null {
    const [head = '', ...rest] = this.text.split('\r\n\r\n');
    const declared = /^content-length: (\d+)/im.exec(head)?.[1];
    return rest.length === 0 ? null : { bytes: rest.join('\r\n\r\n'), declared: Number(declared ?? Number.NaN) };
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Each victim requests its own account and must get it. */
async function expectOwnAnswers(port: number): Promise<void> {
  for (const { authorization, id } of victims) {
    const line = new Line(port).send(request('GET', '/v1/users/@me', `Authorization: ${authorization}`));
    await until(() => line.isClosed || (line.body?.bytes.length ?? -1) === line.body?.declared);
    line.close();
    expect(line.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(JSON.parse(line.body?.bytes ?? '').id).toBe(id);
  }
}

async function expectBrokenOff(port: number, { path, lines = [] }: Lie): Promise<void> {
  const line = new Line(port).send(request('GET', await path(), ...lines));
  // A proxy that received nothing of the response returns 502.
  const isRefused = () => line.text.startsWith('HTTP/1.1 502 ');
  await until(() => line.isClosed || isRefused());
  line.close();
  if (isRefused()) return;
  expect(line.body?.bytes.length ?? 0).toBeLessThanOrEqual(LENGTH);
  expect(line.text).not.toContain('stolen');
}

describe('RFC 9112 section 6.3: a response is as long as declared, or its connection ends', () => {
  test.each(Object.entries(LIES))('%s', async (_, lie) => {
    await expectBrokenOff(service.port, lie);
    expect(service.log.filter((line) => line.includes('stolen'))).toEqual([]);
    await expectOwnAnswers(service.port);
  });
});

describe.each(['nginx', 'haproxy'] as const)(
  'behind %s, which sends all requests on persistent connections',
  (name) => {
    describeUnless(missing(name))(name, () => {
      let proxy: ReusingProxy;
      let connections = 0;
      beforeAll(async () => {
        service.app.getHttpServer().on('connection', () => connections++);
        proxy = await reusingProxy(name, service.port);
      });
      afterAll(() => proxy.close());

      test('one connection carries the requests of many clients', async () => {
        await expectOwnAnswers(proxy.port);
        connections = 0;
        await expectOwnAnswers(proxy.port);
        expect(connections).toBeLessThanOrEqual(1);
      });

      test.each(Object.entries(LIES))('no client receives data from %s', async (_, lie) => {
        await expectOwnAnswers(proxy.port);
        await expectBrokenOff(proxy.port, lie);
        await expectOwnAnswers(proxy.port);
      });

      test('an origin that sends extra data late delays no client and no client receives it', async () => {
        let send: () => void = () => {};
        const path = part((res) => {
          res.write(OWED);
          send = () => res.end(STOLEN);
        });
        await expectOwnAnswers(proxy.port);
        const line = new Line(proxy.port).send(request('GET', path, RANGE));
        await until(() => origin.requests.at(-1)?.headers.range !== undefined);
        await expectOwnAnswers(proxy.port);
        send();
        // HAProxy keeps the connection of a client whose response is complete.
        await until(() => line.isClosed || line.body?.bytes.length === LENGTH);
        line.close();
        await expectOwnAnswers(proxy.port);
      });

      test.each(HONEST)('%s is as long as declared', async (path) => {
        const tag = (await service.anonymous.get(path)).headers.get('etag');
        for (const [method, ...lines] of [
          ['GET'],
          ['HEAD'],
          ['GET', `If-None-Match: ${tag}`],
          ['HEAD', `If-None-Match: ${tag}`],
          ['GET', 'Accept-Encoding: gzip, br'],
        ]) {
          const line = new Line(proxy.port).send(request(method as string, path, ...lines));
          await until(() => line.body !== null);
          const { bytes, declared } = line.body ?? { bytes: '', declared: 0 };
          const isBodiless = method === 'HEAD' || line.text.startsWith('HTTP/1.1 304');
          if (!isBodiless && !Number.isNaN(declared)) await until(() => (line.body?.bytes.length ?? 0) >= declared);
          else if (isBodiless) expect(bytes).toBe('');
          await expectOwnAnswers(proxy.port);
          line.close();
        }
      });
    });
  },
);
