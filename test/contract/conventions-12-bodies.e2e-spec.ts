import { setTimeout as delay } from 'node:timers/promises';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  newWebhook,
  pathOf,
  person,
  planUploads,
  RawConnection,
  type RawResponse,
  sendRaw,
  shortenTimers,
  withGatehouse,
} from '../support/index.js';

const CROWD = 600;
const PER_ADDRESS = 64;
const PER_ACCOUNT = 32;
const PROXY = '127.0.0.2';
const [A, B] = ['127.1.0.1', '127.1.0.2'];
/** How long a client may keep sending after an early response. */
const LINGER_MS = 1500;

/** Interval at which the service checks incoming bodies. `shortenTimers` shortens it, so that tests need less time. */
const LOOK_MS = 1000;

let service: Gatehouse;
beforeAll(async () => {
  const restoreTimers = shortenTimers(LOOK_MS, 50);
  service = await gatehouse({ env: { TRUSTED_PROXIES: PROXY, ABUSE_BANS: 'off' } });
  restoreTimers();
});
afterAll(() => service.close());

const head = (start: string, ...lines: string[]): string =>
  [`${start} HTTP/1.1`, 'Host: gatehouse.test', ...lines, '', ''].join('\r\n');

const LENGTH = 5000;
/** A login request whose body is never completed. */
const stalled = (...lines: string[]): string =>
  `${head('POST /v1/auth/login', 'Content-Type: application/json', `Content-Length: ${LENGTH}`, ...lines)}{"email"`;

/** Connections that send one message each, and the responses received so far. */
class Crowd {
  readonly answers: RawResponse[] = [];
  private constructor(readonly connections: readonly RawConnection[]) {}

  static async of(count: number, message: (index: number) => { from: string; bytes: string }): Promise<Crowd> {
    const messages = Array.from({ length: count }, (_, index) => message(index));
    const connections = await Promise.all(messages.map(({ from }) => RawConnection.open(service, from)));
    const crowd = new Crowd(connections);
    connections.forEach((connection, index) => {
      connection.send(messages[index]?.bytes ?? '');
      connection.readResponse().then(
        (response) => void crowd.answers.push(response),
        () => {},
      );
    });
    return crowd;
  }

  async answered(count: number): Promise<void> {
    while (this.answers.length < count) await delay(5);
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

const login = (from: string): Promise<RawResponse> =>
  sendRaw(service, ['POST /v1/auth/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 2'], {
    ...{ body: '{}', from },
  });

/** Repeats a request until its response has this status. The service notices closed connections with a delay. */
async function until(ask: () => Promise<RawResponse>, status: number): Promise<RawResponse> {
  for (;;) {
    const response = await ask();
    if (response.status === status) return response;
    await delay(10);
  }
}

function expectTooMany(response: RawResponse): void {
  expectApiError(response, 'RATE_LIMITED', { global: false, retry_after: 5 });
  expect(response.headers.get('retry-after')).toBe('5');
  expect(response.headers.get('connection')).toBe('close');
}

describe('conventions.md 12: requests that wait for their bodies', () => {
  test(`${CROWD} stalled bodies of one IP address: 64 wait, the others are rejected, other callers are not affected`, async () => {
    const crowd = await Crowd.of(CROWD, () => ({ from: A, bytes: stalled() }));
    try {
      await crowd.answered(CROWD - PER_ADDRESS);
      for (const response of crowd.answers) expectTooMany(response);
      expectApiError(await login(B), 'INVALID_FORM_BODY');
      expect((await service.anonymous.get('/health/ready')).status).toBe(200);
      // Requests without a body still succeed from the IP address that has reached its limit.
      expect((await sendRaw(service, ['GET /.well-known/service HTTP/1.1'], { from: A })).status).toBe(200);
      expect(crowd.answers).toHaveLength(CROWD - PER_ADDRESS);
    } finally {
      crowd.close();
    }
    expectApiError(await until(() => login(A), 400), 'INVALID_FORM_BODY');
  });

  test('a /64 of IPv6 counts as one IP address', async () => {
    const bytes = (address: string) => stalled(`X-Forwarded-For: ${address}`);
    const crowd = await Crowd.of(PER_ADDRESS + 6, (index) => ({ from: PROXY, bytes: bytes(`2001:db8::${index + 1}`) }));
    try {
      await crowd.answered(6);
      for (const response of crowd.answers) expectTooMany(response);
      const next = await RawConnection.open(service, PROXY);
      expectTooMany(await next.send(bytes('2001:db8::ffff')).readResponse());
      const other = await RawConnection.open(service, PROXY);
      other.send(`${bytes('2001:db8:0:1::1')}: ""}${' '.repeat(LENGTH - 13)}`);
      expectApiError(await other.readResponse(), 'INVALID_FORM_BODY');
      for (const connection of [next, other]) connection.close();
    } finally {
      crowd.close();
    }
  });

  test('at most 32 for one account, over all its IP addresses', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const patch = ({ authorization }: { authorization: string }) =>
      head(
        'PATCH /v1/users/@me',
        'Content-Type: application/json',
        'Content-Length: 100',
        `Authorization: ${authorization}`,
      );
    const crowd = await Crowd.of(PER_ACCOUNT + 8, (index) => ({ from: `127.2.0.${index + 1}`, bytes: patch(alice) }));
    try {
      await crowd.answered(8);
      for (const response of crowd.answers) expectTooMany(response);
      const connection = await RawConnection.open(service, '127.2.0.1');
      expect((await connection.send(`${patch(bob)}{}${' '.repeat(98)}`).readResponse()).status).toBe(200);
      connection.close();
    } finally {
      crowd.close();
    }
  });

  test('at most MAX_BODIES in the process', () =>
    withGatehouse({ env: { MAX_BODIES: '3' } }, async (small) => {
      const connections = [];
      for (let index = 1; index <= 4; index++) {
        connections.push((await RawConnection.open(small, `127.3.0.${index}`)).send(stalled()));
      }
      expectTooMany(await Promise.race(connections.map((connection) => connection.readResponse())));
      expect((await small.anonymous.get('/.well-known/service')).status).toBe(200);
      for (const connection of connections) connection.close();
    }));

  test('they do not count as in flight: more of them than MAX_IN_FLIGHT shed nothing, and they count when complete', () =>
    withGatehouse({ env: { MAX_IN_FLIGHT: '2' } }, async (small) => {
      const waiting = [];
      for (let index = 0; index < 10; index++) {
        const connection = await RawConnection.open(small, A);
        connection.send(`${stalled('Expect: 100-continue')}`);
        expect((await connection.readResponse()).status).toBe(100);
        waiting.push(connection);
      }
      expect((await small.anonymous.get('/.well-known/service')).status).toBe(200);
      for (const connection of waiting) {
        connection.send(`: ""}${' '.repeat(LENGTH - 13)}`);
        expectApiError(await connection.readResponse(), 'INVALID_FORM_BODY');
        connection.close();
      }
    }));
});

describe('conventions.md 12: a body slower than 1 KiB/s over any 10 s', () => {
  /** Advances the clock by more than the 10 s window until the service sends a response and closes the connection. */
  async function expectGivenUp(connection: RawConnection): Promise<void> {
    let response: RawResponse | undefined;
    const answered = connection.readResponse().then((given) => {
      response = given;
    });
    while (!response) {
      service.clock.advance({ seconds: 11 });
      await Promise.race([answered, delay(100)]);
    }
    expectApiError(response, 'BAD_REQUEST');
    expect(response.headers.get('connection')).toBe('close');
    await connection.closed;
  }

  test('JSON: 400, and the connection ends', async () => {
    const connection = await RawConnection.open(service);
    await expectGivenUp(connection.send(stalled()));
  });

  test('multipart: 400, the connection ends, and no message is stored', async () => {
    const hook = await newWebhook(service, await person(service));
    const connection = await RawConnection.open(service);
    const lines = ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 100000'];
    const part = '--x\r\nContent-Disposition: form-data; name="content"\r\n\r\nhal';
    await expectGivenUp(connection.send(head(`POST ${hook.path}`, ...lines) + part));
    expect(await service.sql('SELECT 1 FROM webhook_message WHERE webhook_id = $1', [hook.id])).toEqual([]);
  });

  test('the relay: 400, the connection ends, and the capability can be used again', async () => {
    const [planned] = await planUploads(service, await person(service), [{ filename: 'a.txt', size: LENGTH }]);
    const path = pathOf(planned?.upload_url ?? '');
    const connection = await RawConnection.open(service);
    await expectGivenUp(connection.send(`${head(`PUT ${path}`, `Content-Length: ${LENGTH}`)}hello`));
    const lines = [`PUT ${path} HTTP/1.1`, `Content-Length: ${LENGTH}`];
    expect((await sendRaw(service, lines, { body: 'x'.repeat(LENGTH) })).status).toBe(200);
  });

  test('a body that is sent steadily is read completely', async () => {
    const connection = await RawConnection.open(service);
    const length = 100_000;
    connection.send(`${head('POST /v1/auth/login', 'Content-Type: application/json', `Content-Length: ${length}`)}{}`);
    for (let step = 0; step < 4; step++) {
      connection.send(' '.repeat(20_000));
      await delay(200);
      service.clock.advance({ seconds: 5 });
    }
    connection.send(' '.repeat(length - 80_002));
    expectApiError(await connection.readResponse(), 'INVALID_FORM_BODY');
    connection.close();
  });
});

describe('conventions.md 12: an early response ends the wait for the body', () => {
  const early: [title: string, start: string, lines: string[], code: string][] = [
    ['an unknown path', 'POST /v1/nope', [], 'NOT_FOUND'],
    ['no credential', 'PATCH /v1/users/@me', [], 'UNAUTHORIZED'],
    ['a body that is too long', 'POST /v1/auth/login', ['Content-Type: application/json'], 'PAYLOAD_TOO_LARGE'],
    ['an encoded body', 'POST /v1/auth/login', ['Content-Encoding: gzip'], 'UNSUPPORTED_MEDIA_TYPE'],
    ['a wrong capability', 'PUT /media/relay/abc?t=abc', [], 'UNAUTHORIZED'],
    ['a webhook that is none', 'POST /v1/webhooks/1/abc', [], 'UNKNOWN_WEBHOOK'],
    ['a success that needs no body', 'GET /.well-known/service', [], ''],
  ];
  let restoreTimers: () => void;
  beforeAll(() => {
    restoreTimers = shortenTimers(LINGER_MS);
  });
  afterAll(() => restoreTimers());

  test.each(early)('%s', async (_title, start, lines, code) => {
    const connection = await RawConnection.open(service);
    const length = code === 'PAYLOAD_TOO_LARGE' ? 300_000 : LENGTH;
    const response = await connection.send(`${head(start, ...lines, `Content-Length: ${length}`)}{`).readResponse();
    if (code) expectApiError(response, code);
    else expect(response.status).toBe(200);
    await connection.closed;
    expect(connection.unread).toBe('');
  });

  test('while a complete body leaves the connection usable', async () => {
    const connection = await RawConnection.open(service);
    for (let round = 0; round < 2; round++) {
      connection.send(`${head('PATCH /v1/users/@me', 'Content-Length: 2')}{}`);
      expectApiError(await connection.readResponse(), 'UNAUTHORIZED');
    }
    connection.close();
  });
});
