import {
  type CreatedWebhook,
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  person,
  sendRaw,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let hook: CreatedWebhook;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  hook = await newWebhook(service, alice);
});
afterAll(() => service.close());

const ROUTES: [method: string, rest: string, body: object | undefined][] = [
  ['GET', '', undefined],
  ['PATCH', '', { name: 'x' }],
  ['DELETE', '', undefined],
  ['POST', '', { content: 'x' }],
  ['GET', '/messages/1', undefined],
  ['PATCH', '/messages/1', { content: 'x' }],
  ['DELETE', '/messages/1', undefined],
  ['POST', '/slack', { text: 'x' }],
  ['POST', '/github', {}],
];

const wrong = 'A'.repeat(64);

describe('5.11 and webhooks.md section 3: one response for every caller without access', () => {
  test.each(ROUTES)(
    '%s {token}%s: unknown webhook, wrong token, token of another webhook, every state of the owner',
    async (method, rest, body) => {
      const { authorization, id } = await person(service, 'owner');
      const owned = await newWebhook(service, { authorization });
      const other = await newWebhook(service, alice);
      const paths = [
        `/v1/webhooks/1500000000000000000/${wrong}`,
        `/v1/webhooks/${owned.id}/${wrong}`,
        `/v1/webhooks/${owned.id}/${other.token}`,
        `/v1/webhooks/${owned.id}/${owned.token.toLowerCase()}`,
        `/v1/webhooks/${owned.id}/x`,
        `/v1/webhooks/${owned.id}/${'x'.repeat(256)}`,
      ];
      const responses = [];
      for (const path of paths) responses.push(await service.anonymous.send(method, path + rest, body));
      const states = [
        'flags = flags | (1::bigint << 34)',
        'flags = flags | (1::bigint << 35)',
        'flags = flags | (1::bigint << 36)',
        'flags = flags | (1::bigint << 38)',
        'banned = true',
        'deleted_at = now()',
        "deletion_at = now() + interval '1 day'",
      ];
      for (const state of states) {
        await service.sql(`UPDATE account SET ${state} WHERE id = $1`, [id]);
        responses.push(await service.anonymous.send(method, owned.path + rest, body));
        await service.sql(
          'UPDATE account SET flags = 0, banned = false, deleted_at = NULL, deletion_at = NULL WHERE id = $1',
          [id],
        );
      }
      for (const response of responses) {
        expectApiError(response, 'UNKNOWN_WEBHOOK');
        expect(response.text).toBe(responses[0]?.text);
        expect([...response.headers.keys()]).toEqual([...(responses[0]?.headers.keys() ?? [])]);
      }
      const restored = await service.anonymous.send(method, owned.path + rest, body);
      expect(restored.body?.code).not.toBe('UNKNOWN_WEBHOOK');
    },
  );

  test('the token is checked before the body', async () => {
    const path = `/v1/webhooks/${hook.id}/${wrong}`;
    const bad = new TextEncoder().encode('{');
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      expectApiError(await service.anonymous.post(path, bad, { headers: { 'content-type': type } }), 'UNKNOWN_WEBHOOK');
      expectApiError(
        await service.anonymous.patch(path, bad, { headers: { 'content-type': type } }),
        'UNKNOWN_WEBHOOK',
      );
    }
    expectApiError(await service.anonymous.post(path, new Uint8Array(600_000)), 'UNKNOWN_WEBHOOK');
  });

  test('a malformed ID or token is rejected before any lookup', async () => {
    expectInvalid(await service.anonymous.get(`/v1/webhooks/x/${wrong}`), 'id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(
      await service.anonymous.get(`/v1/webhooks/9223372036854775808/${wrong}`),
      'id: SNOWFLAKE_OUT_OF_RANGE',
    );
    expectInvalid(
      await service.anonymous.get(`/v1/webhooks/1/${'x'.repeat(257)}`),
      'token: CONTENT_EXCEEDS_MAX_LENGTH',
    );
    expectInvalid(await service.anonymous.get('/v1/webhooks/1/a%00b'), 'token: INVALID_FORMAT');
  });

  test('an outstanding suspicious-activity requirement of the owner does not stop a webhook', async () => {
    const owner = await person(service, 'owner');
    const owned = await newWebhook(service, owner);
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [owner.id]);
    expect((await service.anonymous.post(owned.path, { content: 'x' })).status).toBe(204);
  });
});

describe('5.11 Authorization is not read', () => {
  test('the response does not depend on its value', async () => {
    const { session, bot, bearer, adminKey } = await createCredentialSet(service, { acls: ['*'] });
    for (const authorization of [session, bot, bearer, adminKey, 'nonsense', 'Bearer a b c', 'Admin x']) {
      const client = service.as(authorization);
      expect((await client.get(hook.path)).body).toEqual({
        id: hook.id,
        application_id: null,
        name: 'hook',
        avatar: null,
      });
      expect((await client.post(hook.path, { content: 'x' })).status).toBe(204);
      expectApiError(await client.get(`/v1/webhooks/${hook.id}/${wrong}`), 'UNKNOWN_WEBHOOK');
    }
    const twice = await sendRaw(service, [`GET ${hook.path} HTTP/1.1`, 'Authorization: a', 'Authorization: b']);
    expect(twice.status).toBe(200);
  });

  test('the owner needs the token like every other caller, and the response shows nothing of the owner', async () => {
    expectApiError(await service.as(alice).get(`/v1/webhooks/${hook.id}/${wrong}`), 'UNKNOWN_WEBHOOK');
    expect((await service.anonymous.get(hook.path)).text).not.toContain(alice.id);
  });
});

describe('webhooks.md section 3, changes by token', () => {
  test('PATCH accepts name and avatar and rejects any other member by name', async () => {
    const other = await newWebhook(service, alice);
    expect((await service.anonymous.patch(other.path, { name: ' new ' })).body).toMatchObject({ name: 'new' });
    expect((await service.anonymous.patch(other.path, {})).body).toMatchObject({ name: 'new' });
    expectInvalid(
      await service.anonymous.patch(other.path, { name: 'x', application_id: '1', token: 'x' }),
      'application_id: INVALID_FORMAT',
      'token: INVALID_FORMAT',
    );
    expectInvalid(await service.anonymous.patch(other.path, { name: '' }), 'name: WEBHOOK_NAME_LENGTH_INVALID');
    expect((await service.anonymous.get(other.path)).body).toMatchObject({ name: 'new' });
  });

  test('DELETE removes the webhook and ignores the body', async () => {
    const other = await newWebhook(service, alice);
    expect((await service.anonymous.delete(other.path, { any: 'thing' })).status).toBe(204);
    expectApiError(await service.as(alice).get(`/v1/webhooks/${other.id}`), 'UNKNOWN_WEBHOOK');
  });
});

describe('webhooks.md section 3, guessing', () => {
  test('after 60 misses of any kind from one IP address, all token routes return 429, also for correct tokens', async () => {
    await withGatehouse(
      {
        env: { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"webhook:miss": "60/36000"}' },
      },
      async (limited) => {
        const bob = await person(limited, 'bob');
        const owned = await newWebhook(limited, bob);
        for (let n = 0; n < 60; n++) {
          expectApiError(await limited.anonymous.post(`/v1/webhooks/${n + 1}/${wrong}`, {}), 'UNKNOWN_WEBHOOK');
        }
        for (const [method, rest, body] of ROUTES) {
          const response = await limited.anonymous.send(method, owned.path + rest, body);
          expectApiError(response, 'RATE_LIMITED', { global: false });
          expect(response.headers.get('x-ratelimit-limit')).toBe('60');
          expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        expect((await limited.as(bob).get(`/v1/webhooks/${owned.id}`)).status).toBe(200);
      },
    );
  });

  test('buckets are per IP address and webhook, and a busy sender keeps its global allowance', async () => {
    await withGatehouse(
      {
        env: { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"webhook:execute": "60/36000"}' },
      },
      async (limited) => {
        const bob = await person(limited, 'bob');
        const [one, two] = [await newWebhook(limited, bob), await newWebhook(limited, bob)];
        const statuses = [];
        for (let n = 0; n < 62; n++) statuses.push((await limited.anonymous.post(one.path, { content: 'x' })).status);
        expect(statuses).toEqual([...Array.from({ length: 60 }, () => 204), 429, 429]);
        const response = await limited.anonymous.post(two.path, { content: 'x' });
        expect(response.status).toBe(204);
        expect(response.headers.get('x-ratelimit-limit')).toBe('60');
        expect((await limited.anonymous.get(two.path)).status).toBe(200);
      },
    );
  });
});

describe('webhooks.md section 9, the URL is a secret', () => {
  test.each([
    ['a slash at the end', (path: string) => `${path}/`],
    ['a double slash', (path: string) => path.replace('/webhooks/', '//webhooks/')],
    ['upper case', (path: string) => path.replace('webhooks', 'Webhooks')],
    ['something below', (path: string) => `${path}/unknown`],
    ['messages without id', (path: string) => `${path}/messages/`],
    ['a dot segment', (path: string) => `${path}/..`],
  ])('%s is not found and redirects nowhere', async (_, variant) => {
    const response = await sendRaw(service, [`GET ${variant(hook.path)} HTTP/1.1`]);
    expect(response.status).toBe(404);
    expect(response.headers.has('location')).toBe(false);
    expect(response.text).not.toContain(hook.token);
  });

  test('an encoded slash stays inside its parameter; bytes that are not text are rejected', async () => {
    const get = (target: string) => sendRaw(service, [`GET ${target} HTTP/1.1`]);
    expectApiError(await get(`/v1/webhooks/${hook.id}/..%2f${hook.token}`), 'UNKNOWN_WEBHOOK');
    expectApiError(await get(`/v1/webhooks/${hook.id}/%2e%2e%2f`), 'UNKNOWN_WEBHOOK');
    expectApiError(await get(`/v1/webhooks/${hook.id}/%ff`), 'BAD_REQUEST');
    expect(
      (await get(`/v1/webhooks/${hook.id}/%${hook.token.charCodeAt(0).toString(16)}${hook.token.slice(1)}`)).status,
    ).toBe(200);
  });

  test('every response below the token has the headers of a secret, and no CORS headers', async () => {
    const origin = { origin: 'http://localhost:8080' };
    const paths = [
      hook.path,
      `${hook.path}/messages/1`,
      `/v1/webhooks/${hook.id}/${wrong}`,
      `${hook.path}/`,
      `${hook.path}/x`,
    ];
    for (const path of [...paths, `/v1/webhooks/x/${wrong}`]) {
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'HEAD']) {
        const { headers } = await service.anonymous.send(method, path, undefined, { headers: origin });
        expect([path, method, headers.get('cache-control')]).toEqual([path, method, 'no-store']);
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
        for (const name of headers.keys()) expect(name).not.toMatch(/^access-control-|^link$|^content-location$/);
      }
    }
  });

  test('a preflight below the token is answered as an unknown path; that of an owner route is not', async () => {
    const ask = (path: string, method: string) =>
      service.anonymous.send('OPTIONS', path, undefined, {
        headers: { origin: 'http://localhost:8080', 'access-control-request-method': method },
      });
    for (const method of ['GET', 'POST', 'PATCH']) {
      const response = await ask(hook.path, method);
      expectApiError(response, 'NOT_FOUND');
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
    }
    expect((await ask(`/v1/webhooks/${hook.id}/messages`, 'GET')).status).toBe(204);
    expect((await ask(`/v1/webhooks/${hook.id}/token/rotate`, 'POST')).status).toBe(204);
  });

  test('the token appears in no log line, error or table, not even after 404, 413, 429 and 500', async () => {
    const { status, body } = await service.anonymous.post(`${hook.path}?wait=1`, { content: 'x' });
    expect(status).toBe(200);
    await service.sql('ALTER TABLE webhook_message RENAME TO webhook_message_away');
    const broken = await service.anonymous.get(`${hook.path}/messages/${body.id}`);
    await service.sql('ALTER TABLE webhook_message_away RENAME TO webhook_message');
    expectApiError(broken, 'INTERNAL_SERVER_ERROR');
    const responses = [
      broken,
      await service.anonymous.get(`${hook.path}/nowhere`),
      await service.anonymous.post(hook.path, { content: 'x'.repeat(300_000) }),
      await service.anonymous.post(hook.path, { content: 5 }),
      await service.anonymous.post(`/v1/webhooks/1/${hook.token}`, {}),
      await service.anonymous.patch(hook.path, { token: 'x' }),
      await service.anonymous.post(`${hook.path}/slack`, { text: 5 }),
      await service.anonymous.post(`${hook.path}/github`, {}, { headers: { 'x-github-event': 'push' } }),
      await service.anonymous.post(hook.path, new TextEncoder().encode('--x'), {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      }),
    ];
    for (const { text, headers } of responses) {
      expect(text + JSON.stringify([...headers])).not.toContain(hook.token);
    }
    const log = service.log.join('');
    expect(log).not.toContain(hook.token);
    expect(log).toContain('"/v1/webhooks/:id/:token"');
    for (const table of [
      'webhook',
      'webhook_message',
      'webhook_event',
      'webhook_repeat',
      'outbox',
      'one_time_secret',
    ]) {
      expect(JSON.stringify(await service.sql(`SELECT * FROM ${table}`))).not.toContain(hook.token);
    }
  });
});
