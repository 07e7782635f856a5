import { WebSocket } from 'ws';
import {
  ApiError,
  gatehouse as clientOf,
  Gateway,
  type GatewayState,
  type HttpOptions,
  NetworkError,
} from '../../client/index.js';
import { type Gatehouse, gatehouse, newApp, person, withTotp } from '../support/index.js';

type Person = Awaited<ReturnType<typeof person>>;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const as = (someone: Person, more: HttpOptions = {}) =>
  clientOf({ origin: service.url, credential: () => someone.authorization, ...more });

describe('@gatehouse-auth/client: operations', () => {
  test('a success is returned, typed by the description', async () => {
    const alice = await person(service);
    const me = await as(alice).get('/v1/users/@me');
    expect(me.id).toBe(alice.id);
    const settings = await as(alice).patch('/v1/users/@me/settings', { body: { theme: 'dark' } });
    expect(settings.theme).toBe('dark');
  });

  test('every error is thrown, with code, fields and request ID', async () => {
    const refused = await clientOf({ origin: service.url })
      .post('/v1/auth/login', { body: { email: 'nobody', password: 'not the one' } })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    const { status, code, errors, requestId } = refused as ApiError;
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_FORM_BODY' });
    expect((refused as ApiError).of('email')).toBe(errors[0]?.code);
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await expect(clientOf({ origin: 'http://127.0.0.1:1' }).get('/v1/users/@me')).rejects.toBeInstanceOf(NetworkError);
  });

  test.each(['application/problem+json', 'application/problem+json; charset=utf-8', 'Application/JSON'])(
    'the code of an error in %s is kept',
    async (type) => {
      const body = JSON.stringify({ code: 'NOT_FOUND', message: 'No such note.', errors: [] });
      const fake = (async () => new Response(body, { status: 404, headers: { 'content-type': type } })) as typeof fetch;
      const refused = clientOf({ origin: service.url, fetch: fake }).get('/v1/users/@me');
      await expect(refused).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'No such note.' });
    },
  );

  test('other types are not read as JSON', async () => {
    for (const type of ['application/jsonl', 'application/json-seq', 'text/json-like']) {
      const fake = (async () => new Response('{', { status: 404, headers: { 'content-type': type } })) as typeof fetch;
      const refused = clientOf({ origin: service.url, fetch: fake }).get('/v1/users/@me');
      await expect(refused).rejects.toMatchObject({ status: 404, code: '' });
    }
  });

  test('sudo mode: a factor is requested once, the request repeated, the proof stored', async () => {
    const alice = await person(service);
    const { authenticator } = await withTotp(service, alice);
    let requested = 0;
    const client = as(alice, {
      sudo: async (methods: object) => {
        requested++;
        expect(methods).toMatchObject({ has_mfa: true, methods: { totp: true, webauthn: false } });
        return { mfa_method: 'totp' as const, mfa_code: authenticator.next() };
      },
    });
    const codes = () => client.post('/v1/users/@me/mfa/backup-codes', { body: { regenerate: false } });
    expect((await codes()).backup_codes).toEqual((await codes()).backup_codes);
    expect(requested).toBe(1);
    client.forgetSudoProof();
    await codes();
    expect(requested).toBe(2);
  });

  test('sudo mode: canceling gives the error', async () => {
    const alice = await person(service);
    const given = as(alice, { sudo: async () => null }).post('/v1/auth/sessions/logout', {
      body: { session_id_hashes: [] },
    });
    await expect(given).rejects.toMatchObject({ status: 403, code: 'SUDO_MODE_REQUIRED' });
  });

  test('a 429 is repeated once, if the wait is within the limit', async () => {
    const alice = await person(service);
    const responses = [429, 429, 200, 429, 204];
    const seen: number[] = [];
    const fake = (async () => {
      const status = responses.shift() as number;
      const body =
        status === 204 ? null : JSON.stringify(status === 200 ? {} : { code: 'RATE_LIMITED', message: 'Wait.' });
      const headers = { 'content-type': 'application/json', 'retry-after': '0.01' };
      return new Response(body, { status, headers });
    }) as typeof fetch;
    const client = as(alice, { fetch: fake, onWait: (seconds: number) => seen.push(seconds) });
    await expect(client.get('/v1/users/@me')).rejects.toMatchObject({ status: 429, retryAfter: 0.01 });
    await client.get('/v1/users/@me');
    await client.post('/v1/auth/logout');
    expect(seen).toEqual([0.01, 0.01]);
    responses.push(429);
    await expect(as(alice, { fetch: fake, maxRetryAfterSeconds: 0 }).get('/v1/users/@me')).rejects.toMatchObject({
      status: 429,
    });
    expect(responses).toEqual([]);
  });

  test('path parameters are encoded and required', async () => {
    const urls: string[] = [];
    const fake = (async (url: string) => {
      urls.push(url);
      return new Response(null, { status: 204 });
    }) as unknown as typeof fetch;
    const client = clientOf({ origin: 'http://x', fetch: fake });
    await client.send('get', '/v1/webhooks/{id}/{token}', {
      path: { id: 1, token: 'a/../b?c#d' },
      query: { wait: true, no: undefined, id: ['1', '2'] },
    });
    expect(urls).toEqual(['http://x/v1/webhooks/1/a%2F..%2Fb%3Fc%23d?wait=true&id=1&id=2']);
    await expect(client.send('get', '/v1/webhooks/{id}', {})).rejects.toBeInstanceOf(TypeError);
  });

  test('a path parameter that leads to another path is rejected before anything is sent', async () => {
    const alice = await person(service);
    const app = await newApp(service, alice);
    for (const id of ['', '.', '..', ['..'], ['a', '.', 'b']]) {
      const path = '/v1/oauth2/applications/{id}/{rest}';
      await expect(as(alice).send('delete', path, { path: { id, rest: app.id } })).rejects.toThrow('id must not be');
      await expect(as(alice).send('delete', path, { path: { id: app.id, rest: id } })).rejects.toThrow('rest must not');
    }
    for (const id of ['...', '.a', 'a.', '%2e%2e']) {
      await expect(as(alice).send('get', '/v1/webhooks/{id}', { path: { id } })).rejects.toBeInstanceOf(ApiError);
    }
    expect((await service.as(alice).get(`/v1/oauth2/applications/${app.id}`)).status).toBe(200);
  });
});

describe('@gatehouse-auth/client: the gateway', () => {
  const opened: Gateway[] = [];
  afterEach(() => {
    for (const gateway of opened.splice(0)) gateway.close();
  });

  /** A gateway client that exposes its states and its sockets. */
  function connect(someone: Person) {
    const states: GatewayState[] = [];
    const sockets: WebSocket[] = [];
    class Watched extends WebSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    }
    let wake = () => {};
    const gateway = new Gateway({
      url: `ws://127.0.0.1:${service.port}/gateway`,
      token: () => someone.authorization,
      WebSocket: Watched as never,
      onState: (state) => {
        states.push(state);
        wake();
      },
    });
    opened.push(gateway);
    const until = async (wanted: GatewayState['state']) => {
      while (states.at(-1)?.state !== wanted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    return { gateway, states, sockets, until };
  }

  const received = <T>(listen: (listener: (data: T) => void) => () => void): Promise<T> =>
    new Promise((resolve) => {
      const stop = listen((data) => {
        stop();
        resolve(data);
      });
    });

  test('identifies, and receives typed events', async () => {
    const alice = await person(service);
    const { gateway, until } = connect(alice);
    await until('ready');
    const event = received((listener) => gateway.on('USER_SETTINGS_UPDATE', listener));
    await as(alice).patch('/v1/users/@me/settings', { body: { theme: 'light' } });
    expect(await event).toMatchObject({ theme: 'light' });
  });

  test('after a lost connection it resumes and misses nothing', async () => {
    const alice = await person(service);
    const { gateway, sockets, states, until } = connect(alice);
    await until('ready');
    const event = received((listener) => gateway.on('USER_SETTINGS_UPDATE', listener));
    const resumed = received((listener) => gateway.on('RESUMED', listener));
    // Uses the actual URL of the service instead of the URL that the service announces.
    Object.assign(gateway as never as { session: object }, {
      session: { ...(gateway as never as { session: object }).session, url: `ws://127.0.0.1:${service.port}/gateway` },
    });
    sockets[0]?.terminate();
    await until('lost');
    await as(alice).patch('/v1/users/@me/settings', { body: { theme: 'dark' } });
    expect(await event).toMatchObject({ theme: 'dark' });
    await resumed;
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'ready', 'lost', 'connecting', 'ready']);
  });

  test('a session that ended elsewhere is reported as ended, and not retried', async () => {
    const alice = await person(service);
    const { states, sockets, until } = connect(alice);
    await until('ready');
    await as(alice).post('/v1/auth/logout');
    await until('ended');
    expect(states.at(-1)).toEqual({ state: 'ended', code: 4004, reason: 'Invalid token' });
    expect(sockets.length).toBe(1);
  });
});
