import { request as httpRequest } from 'node:http';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import {
  type App,
  basic,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  newTokens,
  type Persona,
  person,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let app: App;
let other: App;
let publicApp: App;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  app = await newApp(service, alice);
  other = await newApp(service, alice);
  publicApp = await newApp(service, alice, { client_type: 'public' });
});
afterAll(() => service.close());

const PATH = '/v1/oauth2/token/revoke';
const TOKEN = { token: 'unknown' };
const form = (fields: Record<string, string>, authorization?: string, path = PATH): Promise<TestResponse> =>
  (authorization === undefined ? service.anonymous : service.as(authorization)).form(path, fields);

/** Asserts the error response, which is byte-identical for every failed client authentication. */
async function expectInvalidClient(response: TestResponse) {
  expectApiError(response, 'INVALID_CLIENT');
  expect(response.text).toBe(
    JSON.stringify({
      code: 'INVALID_CLIENT',
      message: 'Client authentication failed.',
      error: 'invalid_client',
      error_description: 'Client authentication failed.',
    }),
  );
  expect(response.status).toBe(401);
  expect(response.headers.get('pragma')).toBe('no-cache');
}

const encode = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('5.5 client authentication', () => {
  test('by Basic, with the scheme in any case and percent-encoded parts', async () => {
    const secret = app.secret as string;
    const encoded = secret.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    for (const scheme of ['Basic', 'basic', 'BASIC', 'bAsIc']) {
      expect((await form(TOKEN, `${scheme} ${encode(`${app.id}:${secret}`)}`)).status).toBe(200);
    }
    expect((await form(TOKEN, `Basic ${encode(`${app.id}:${encoded}`)}`)).status).toBe(200);
    expect((await form({ ...TOKEN, client_id: app.id }, basic(app.id, secret))).status).toBe(200);
  });

  test('by form', async () => {
    expect((await form({ ...TOKEN, client_id: app.id, client_secret: app.secret as string })).status).toBe(200);
  });

  test('a public client only with its ID, in the form or as Basic without a secret', async () => {
    expect((await form({ ...TOKEN, client_id: publicApp.id })).status).toBe(200);
    expect((await form(TOKEN, `Basic ${encode(`${publicApp.id}:`)}`)).status).toBe(200);
    await expectInvalidClient(await form({ ...TOKEN, client_id: publicApp.id, client_secret: 'x' }));
    await expectInvalidClient(await form(TOKEN, basic(publicApp.id, 'x')));
  });

  test('the response is equal byte for byte for anything missing or wrong', async () => {
    const secret = app.secret as string;
    const wrong: [Record<string, string>, string?][] = [
      [TOKEN],
      [{ ...TOKEN, client_id: app.id }],
      [{ ...TOKEN, client_secret: secret }],
      [{ ...TOKEN, client_id: app.id, client_secret: other.secret as string }],
      [{ ...TOKEN, client_id: app.id, client_secret: `${secret}A` }],
      [{ ...TOKEN, client_id: app.id, client_secret: secret.toLowerCase() }],
      [{ ...TOKEN, client_id: '1', client_secret: secret }],
      [{ ...TOKEN, client_id: `0${app.id}`, client_secret: secret }],
      [{ ...TOKEN, client_id: ` ${app.id}`, client_secret: secret }],
      [{ ...TOKEN, client_id: '9223372036854775808', client_secret: secret }],
      [{ ...TOKEN, client_id: '9999999999999999999', client_secret: secret }],
      [{ ...TOKEN, client_id: 'x'.repeat(5000) }],
      [{ ...TOKEN, client_id: "1' OR '1'='1" }],
      [TOKEN, basic(app.id, 'x')],
      [TOKEN, basic('1', secret)],
      [TOKEN, `Basic ${encode(`${app.id}:`)}`],
      [TOKEN, `Basic ${encode(`:${secret}`)}`],
      [TOKEN, `Basic ${encode(app.id)}`],
    ];
    for (const [fields, authorization] of wrong) await expectInvalidClient(await form(fields, authorization));
  });

  test('Authorization that is not well-formed Basic is rejected, even with a valid form', async () => {
    const good = basic(app.id, app.secret as string);
    const credentials = good.slice(6);
    const malformed = [
      ...['Basic', 'Basic ', `Basic  ${credentials}`, `Basic\t${credentials}`, `${good} x`, `${good}=`, `${good},`],
      ...[
        credentials,
        `Bearer ${credentials}`,
        `Basic ${credentials.replace(/=+$/, '')}x`,
        'Basic !!!!',
        alice.authorization,
      ],
      ...[app.bot, `Basic ${encode(`${app.id}:%zz`)}`, `Basic ${encode('%:x')}`, `Basic ${'A'.repeat(8000)}`],
    ].filter((value) => value !== good);
    const fields = { ...TOKEN, client_id: app.id, client_secret: app.secret as string };
    for (const authorization of malformed) {
      await expectInvalidClient(await form(fields, authorization));
      await expectInvalidClient(await form(TOKEN, authorization));
    }
    for (const odd of [Buffer.from([0xff, 0xfe, 0x3a, 0x41]), `${app.id}\0:x`, `:${app.id}`]) {
      await expectInvalidClient(await form(TOKEN, `Basic ${encode(odd)}`));
    }
  });

  test('base64 that decodes to the correct credentials but is not canonical is rejected', async () => {
    for (let length = 0; length < 3; length++) {
      const text = `${app.id}:${app.secret}${'!'.repeat(length)}`;
      const canonical = encode(text);
      const variants = [
        canonical.replace(/=+$/, ''),
        `${canonical}=`,
        canonical.replace(/(.)(=+)$/, (_, last, pad) => {
          const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
          return `${alphabet[alphabet.indexOf(last) + 1]}${pad}`;
        }),
      ];
      for (const variant of variants) {
        if (variant !== canonical) await expectInvalidClient(await form(TOKEN, `Basic ${variant}`));
      }
    }
  });

  test('no other header authenticates or interferes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)), maxLength: 200 }),
        async (text) => {
          const response = await service.anonymous.send('POST', PATH, new URLSearchParams(TOKEN), {
            headers: { authorization: `Basic ${encode(text)}` },
          });
          await expectInvalidClient(response);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('two Authorization lines are rejected', async () => {
    const good = basic(app.id, app.secret as string);
    const status = await new Promise<string>((resolve, reject) => {
      const req = httpRequest(`${service.url}${PATH}`, { method: 'POST' }, (res) => {
        let text = '';
        res.on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () => resolve(`${res.statusCode} ${JSON.parse(text).code}`));
      });
      req.on('error', reject);
      req.setHeader('Content-Type', 'application/x-www-form-urlencoded');
      req.setHeader('Authorization', [good, good]);
      req.end('token=x');
    });
    expect(status).toBe('401 INVALID_CLIENT');
  });

  test('two methods in one request, another ID in the form, or a secret in the query: invalid_request', async () => {
    const secret = app.secret as string;
    const good = basic(app.id, secret);
    const cases: [Record<string, string>, string | undefined, string, string][] = [
      [{ ...TOKEN, client_secret: secret }, good, PATH, 'client_secret'],
      [{ ...TOKEN, client_id: app.id, client_secret: secret }, good, PATH, 'client_secret'],
      [{ ...TOKEN, client_id: other.id }, good, PATH, 'client_id'],
      [TOKEN, good, `${PATH}?client_secret=${secret}`, 'client_secret'],
      [{ ...TOKEN, client_id: app.id, client_secret: secret }, undefined, `${PATH}?client_secret=x`, 'client_secret'],
      [{ ...TOKEN, client_id: app.id, client_secret: ` ${secret}` }, undefined, PATH, 'client_secret'],
      [{ ...TOKEN, client_id: app.id, client_secret: `${secret}\n` }, undefined, PATH, 'client_secret'],
      [{ ...TOKEN, client_id: app.id, client_secret: 'x'.repeat(257) }, undefined, PATH, 'client_secret'],
    ];
    for (const [fields, authorization, path, blamed] of cases) {
      const response = await form(fields, authorization, path);
      expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
      expect(response.body.errors).toEqual([expect.objectContaining({ path: blamed })]);
    }
  });

  test('a repeated client_id or client_secret is rejected', async () => {
    for (const name of ['client_id', 'client_secret']) {
      const fields = new URLSearchParams({ ...TOKEN, client_id: app.id, client_secret: app.secret as string });
      fields.append(name, fields.get(name) as string);
      expectApiError(await service.anonymous.send('POST', PATH, fields), 'INVALID_REQUEST');
    }
  });

  test('an empty value counts as absent', async () => {
    await expectInvalidClient(await form({ ...TOKEN, client_id: '', client_secret: '' }));
    expect((await form({ ...TOKEN, client_id: publicApp.id, client_secret: '' })).status).toBe(200);
    expect(
      (await form({ ...TOKEN, client_id: '', client_secret: '' }, basic(app.id, app.secret as string))).status,
    ).toBe(200);
  });

  test('is checked before the other parameters', async () => {
    for (const path of ['/v1/oauth2/token', '/v1/oauth2/introspect', PATH]) {
      await expectInvalidClient(await form({}, undefined, path));
      await expectInvalidClient(await form({ grant_type: 'nonsense', token: '' }, basic('1', 'x'), path));
    }
  });

  test('a public client may not introspect', async () => {
    const { access_token: token } = await newTokens(service, alice, publicApp);
    await expectInvalidClient(await form({ token, client_id: publicApp.id }, undefined, '/v1/oauth2/introspect'));
  });

  test('the built-in Admin application without a secret cannot authenticate itself', async () => {
    const { id } = service.app.get(AdminApplication);
    for (const secret of ['', 'x', 'no application has this secret', 'null', 'undefined']) {
      await expectInvalidClient(await form({ ...TOKEN, client_id: id, client_secret: secret }));
      await expectInvalidClient(await form(TOKEN, basic(id, secret)));
    }
  });

  test('the built-in Admin application authenticates itself with ADMIN_OAUTH_CLIENT_SECRET', async () => {
    await withGatehouse({ env: { ADMIN_OAUTH_CLIENT_SECRET: 'S'.repeat(43) } }, async (configured) => {
      const { id } = configured.app.get(AdminApplication);
      expect((await configured.as(basic(id, 'S'.repeat(43))).form(PATH, TOKEN)).status).toBe(200);
      expectApiError(await configured.as(basic(id, 'T'.repeat(43))).form(PATH, TOKEN), 'INVALID_CLIENT');
    });
  });
});

describe('1.3 forms', () => {
  const PATHS = ['/v1/oauth2/token', '/v1/oauth2/introspect', PATH];

  test('only application/x-www-form-urlencoded', async () => {
    for (const path of PATHS) {
      const authorized = service.as(basic(app.id, app.secret as string));
      expectApiError(await authorized.post(path, { token: 'x' }), 'UNSUPPORTED_MEDIA_TYPE');
      const multipart = new FormData();
      multipart.set('token', 'x');
      expectApiError(await authorized.send('POST', path, multipart), 'UNSUPPORTED_MEDIA_TYPE');
      expectApiError(await authorized.post(path), 'UNSUPPORTED_MEDIA_TYPE');
      for (const type of ['text/plain', 'application/x-www-form-urlencoded-x']) {
        const response = await authorized.send('POST', path, 'token=x', { headers: { 'content-type': type } });
        expectApiError(response, 'UNSUPPORTED_MEDIA_TYPE');
      }
    }
    for (const type of ['application/x-www-form-urlencoded; charset=UTF-8', 'Application/X-WWW-Form-Urlencoded']) {
      const response = await service.as(basic(app.id, app.secret as string)).send('POST', PATH, 'token=x', {
        headers: { 'content-type': type },
      });
      expect(response.status).toBe(200);
    }
  });

  test('other methods do not exist, and credentials in a query are ignored', async () => {
    for (const path of PATHS) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        expectApiError(await service.as(basic(app.id, app.secret as string)).send(method, path), 'NOT_FOUND');
      }
    }
    await expectInvalidClient(await form(TOKEN, undefined, `${PATH}?client_id=${publicApp.id}`));
  });

  test('text that is not UTF-8 is rejected', async () => {
    const response = await service
      .as(basic(app.id, app.secret as string))
      .send('POST', PATH, new Uint8Array([0x61, 0x3d, 0xff]), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expectApiError(response, 'INVALID_REQUEST');
  });

  test('a form over the limit is rejected', async () => {
    const response = await form({ token: 'x'.repeat(300_000) }, basic(app.id, app.secret as string));
    expectApiError(response, 'PAYLOAD_TOO_LARGE');
  });
});

describe('6.6 client secret reset and deletion', () => {
  test('the old secret is rejected immediately, the tokens stay valid, the exchange needs the new secret', async () => {
    const target = await newApp(service, alice);
    const tokens = await newTokens(service, alice, target);
    const code = await newCode(service, alice, target);
    const { body } = await service
      .as(alice)
      .post(`/v1/oauth2/applications/${target.id}/client-secret/reset`, { password: alice.password });
    await expectInvalidClient(await form(TOKEN, basic(target.id, target.secret as string)));
    expect((await form(TOKEN, basic(target.id, body.client_secret))).status).toBe(200);
    expect((await service.as(`Bearer ${tokens.access_token}`).get('/v1/oauth2/userinfo')).status).toBe(200);
    const exchanged = await form(
      { grant_type: 'authorization_code', code, redirect_uri: target.redirectUri },
      basic(target.id, body.client_secret),
      '/v1/oauth2/token',
    );
    expect(exchanged.status).toBe(200);
  });

  test('the secret of a deleted application is rejected immediately', async () => {
    const target = await newApp(service, alice);
    await service.as(alice).delete(`/v1/oauth2/applications/${target.id}`, { password: alice.password });
    await expectInvalidClient(await form(TOKEN, basic(target.id, target.secret as string)));
  });
});

describe('5.5 limits', () => {
  test('are counted by IP address, with any credential', async () => {
    await withGatehouse(
      {
        env: {
          RATE_LIMITS: 'on',
          RATE_LIMIT_OVERRIDES: JSON.stringify({ 'oauth:token': '3/60', 'oauth:introspect': '4/60' }),
        },
      },
      async (limited) => {
        const bob = await person(limited, 'bob');
        const [first, second] = [await newApp(limited, bob), await newApp(limited, bob)];
        const post = (path: string, target: App | null) =>
          (target ? limited.as(basic(target.id, target.secret as string)) : limited.anonymous).form(path, {
            token: 'x',
          });
        expectApiError(await post('/v1/oauth2/token', first), 'INVALID_REQUEST');
        expectApiError(await post('/v1/oauth2/token', null), 'INVALID_CLIENT');
        expectApiError(await post('/v1/oauth2/token', second), 'INVALID_REQUEST');
        const refused = await post('/v1/oauth2/token', second);
        expectApiError(refused, 'RATE_LIMITED', { global: false });
        expect(refused.headers.get('pragma')).toBe('no-cache');
        expect((await post('/v1/oauth2/introspect', first)).status).toBe(200);
        expect((await post(PATH, first)).status).toBe(200);
        expect((await post(PATH, second)).status).toBe(200);
        expect((await post('/v1/oauth2/introspect', second)).status).toBe(200);
        expectApiError(await post(PATH, first), 'RATE_LIMITED');
      },
    );
  });
});
