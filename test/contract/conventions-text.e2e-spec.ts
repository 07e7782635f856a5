import { getMetadataStorage } from 'class-validator';
import { isStorableJson } from '../../src/core/text/text.js';
import { featureRegistry } from '../../src/features.js';
import { validateShape } from '../../src/http/input.js';
import type { RoutePlan, Shape } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { membersOf } from '../machine/input-members.js';
import { administrator } from '../support/admin.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  type Client,
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  newWebhook,
  type Persona,
  person,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const SCOPES = [...featureRegistry().scopes.keys()];

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

/** Text that no database column can store, not even as part of JSON. */
const ODD = ['\u0000', '\ud800', '\udc00', 'a\ud83db', '\ude00\ud83d', 'a\u0000b'];

describe('conventions.md 6: text that cannot be stored is rejected during validation', () => {
  const LENGTHS = [1, 2, 4, 8, 32, 36, 43, 64];
  const formsOf = (odd: string): unknown[] => [
    ...LENGTHS.map((length) => odd.padEnd(length, 'a')),
    ...[`https://example.com/${odd}`, `/${odd}`, `${odd}@example.com`, `a@${odd}.example`, `#${odd}#0001`, ` ${odd} `],
    ...[[odd], [`https://example.com/${odd}`], [{ id: odd }], { [odd]: 1 }, { a: { b: [odd] } }],
    ...[[{ id: 0, filename: odd, file_size: 1, content_type: odd, upload_filename: odd }]],
  ];

  test('every accepted member of an input class can be stored', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<Shape, unknown> };
    const passed: string[] = [];
    for (const shape of validationMetadatas.keys()) {
      for (const member of membersOf(shape)) {
        for (const value of ODD.flatMap(formsOf)) {
          const { instance, faults } = validateShape(shape, { [member]: value });
          const isFaulty = faults.some(({ path }) => path === member || path.startsWith(`${member}.`));
          const kept = (instance as Record<string, unknown>)[member];
          if (!isFaulty && !isStorableJson(kept)) passed.push(`${shape.name}.${member}: ${JSON.stringify(value)}`);
        }
      }
    }
    expect(passed).toEqual([]);
  });

  const targetOf = (path: string, value = '1'): string => path.replace(/[:*]\w+/g, value);
  const clientOf = async ({ policy }: RoutePlan): Promise<Client> => {
    const of = await createCredentialSet(service, { acls: ['*'], scopes: SCOPES });
    if (['Authenticated', 'UserOnly', 'AdminAcl'].includes(policy.kind)) return service.as(of.session);
    if (policy.kind === 'BotOnly') return service.as(of.bot);
    return policy.kind === 'BearerOnly' ? service.as(of.bearer) : service.anonymous;
  };

  test('it makes no operation fail, in any member, path or query', async () => {
    const failed: string[] = [];
    const note = (what: string, { status }: TestResponse) => status < 500 || failed.push(`${what}: ${status}`);
    for (const route of service.app.get(Routes).all) {
      const client = await clientOf(route);
      const name = `${route.method} ${route.path}`;
      const members = [...new Set([route.input?.body, route.input?.sudo].flatMap((of) => (of ? membersOf(of) : [])))];
      for (const odd of members.length > 0 ? ['\ud800', '\u0000'] : []) {
        for (const value of [odd.padEnd(8, 'a'), [odd], { id: odd, rawId: odd, [odd]: { transports: [odd] } }]) {
          const body = Object.fromEntries(members.map((member) => [member, value]));
          note(`${name} with ${JSON.stringify(value)}`, await client.send(route.method, targetOf(route.path), body));
        }
      }
      for (const odd of ['%00', 'a%00b', '%ED%A0%80', '%EF%BF%BF']) {
        if (/[:*]/.test(route.path))
          note(`${name} at ${odd}`, await client.send(route.method, targetOf(route.path, odd)));
        const query = (route.input?.query ? membersOf(route.input.query) : []).map((member) => `${member}=${odd}`);
        if (query.length > 0)
          note(`${name}?${odd}`, await client.send(route.method, `${targetOf(route.path)}?${query.join('&')}`));
      }
    }
    expect(failed).toEqual([]);
  });
});

const properties = (os: unknown): string => Buffer.from(JSON.stringify({ os })).toString('base64');
const KNOWN_PROPERTIES = ODD.map((odd) => ({ 'x-service-client-properties': properties(`Linux ${odd}`) }));

describe('conventions.md 2: a header that cannot be stored is ignored', () => {
  const osOf = async ({ id }: { id: string }) =>
    (await service.sql('SELECT os FROM session WHERE account_id = $1 ORDER BY id DESC LIMIT 1', [id]))[0]?.os;

  test('client properties at login from any IP address: no session or ticket without its email', async () => {
    for (const [index, headers] of KNOWN_PROPERTIES.entries()) {
      const bob = await person(service, `bob${index}`);
      const sent = { email: bob.email, password: bob.password };
      expect((await service.anonymous.with(headers).post('/v1/auth/login', sent)).status).toBe(200);
      expect(await osOf(bob)).toBeNull();
      const held = await service.anonymous.from('127.0.33.1').with(headers).post('/v1/auth/login', sent);
      expectApiError(held, 'IP_AUTHORIZATION_REQUIRED');
      expect((await mailTo(service, bob.email, 'ip_authorization')).metadata.token).toMatch(/^\w{64}$/);
      const wrong = { ...sent, password: 'not the password' };
      const response = await service.anonymous.from('127.0.33.1').with(headers).post('/v1/auth/login', wrong);
      expectInvalid(response, 'email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD');
    }
  });

  test('every header, at every operation that stores a part of it', async () => {
    const admin = await administrator(service, '*');
    const values = ['\u00ed\u00a0\u0080', '\u0080\u009f', '\u00ff', '=?utf-8?Q?=00?=', '\\u0000', '\\ud800', '%00'];
    const names = [
      'user-agent',
      'accept-language',
      'x-audit-log-reason',
      'x-service-client-properties',
      'x-request-id',
    ];
    const others = ['x-captcha-token', 'x-captcha-type', 'x-service-sudo-mode-jwt', 'x-forwarded-for', 'origin'];
    for (const name of [...names, ...others, 'referer', 'traceparent', 'if-none-match', 'range']) {
      const carol = await person(service, 'carol');
      for (const value of values) {
        const headers = { [name]: value };
        const bodies: [Client, string, string, object | undefined][] = [
          [service.anonymous, 'POST', '/v1/auth/login', { email: carol.email, password: carol.password }],
          [service.anonymous, 'POST', '/v1/auth/handoff/initiate', {}],
          [service.as(carol), 'GET', '/v1/users/@me', undefined],
          [service.as(admin), 'PUT', `/v1/admin/users/${carol.id}/flags`, { add_flags: ['1'] }],
          [service.as(admin), 'PUT', `/v1/admin/users/${carol.id}/traits`, { traits: [] }],
        ];
        for (const [client, method, path, body] of bodies) {
          const { status } = await client.with(headers).send(method, path, body);
          expect([name, value, path, status < 500]).toEqual([name, value, path, true]);
        }
      }
    }
  });
});

describe('webhooks.md 4 and 6: messages and callbacks', () => {
  test('text that cannot be stored is rejected or omitted, and no operation fails', async () => {
    const hook = await newWebhook(service, alice, { name: 'Robot' });
    const stored = () => service.sql('SELECT 1 FROM webhook_message WHERE webhook_id = $1', [hook.id]);
    for (const odd of ODD) {
      const url = `https://example.com/${odd}`;
      const bodies: [string, object][] = [
        ['', { content: odd }],
        ['', { content: 'x', username: `a${odd}` }],
        ['', { content: 'x', avatar_url: url }],
        ['', { content: 'x', nonce: odd }],
        ['', { embeds: [{ title: odd }] }],
        ['', { embeds: [{ title: 'x', url }] }],
        ['', { embeds: [{ title: 'x', footer: { text: odd, icon_url: url } }] }],
        ['', { embeds: [{ title: 'x', fields: [{ name: odd, value: odd }] }] }],
        ['/slack', { text: odd }],
        ['/slack', { text: 'x', username: odd }],
        ['/slack', { attachments: [{ title: odd, title_link: url, fields: [{ title: odd, value: odd }] }] }],
      ];
      for (const [path, body] of bodies) {
        const response = await service.anonymous.post(`${hook.path}${path}`, body);
        expectInvalid(response, 'message_data: INVALID_MESSAGE_DATA');
      }
      expect(await stored()).toEqual([]);
    }
    for (const odd of ODD) {
      const issue = { number: 1, title: odd, body: odd, html_url: `https://example.com/${odd}` };
      const body = { action: 'opened', sender: { login: odd }, repository: { full_name: odd }, issue };
      for (const event of ['issues', 'push', odd.toWellFormed().replaceAll('\u0000', '0').replace(/[^\w]/g, '_')]) {
        const headers = { 'x-github-event': event, 'x-github-delivery': 'x' };
        const { status } = await service.anonymous.post(`${hook.path}/github`, body, { headers });
        expect([event, status < 500]).toEqual([event, true]);
      }
    }
    for (const name of ['a\u0000.txt', '\u0000', '..\u202e/gpj.exe', 'a\r\nb.txt', '"; filename="b']) {
      const disposition = `form-data; name="files[0]"; filename="${name.replaceAll('"', '%22').replaceAll('\r\n', '%0D%0A')}"`;
      const label = JSON.stringify({ content: 'x', attachments: [{ id: 0, filename: '\ud800' }] });
      const json = `--e\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n`;
      const file = `--e\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/plain\r\n\r\nhello\r\n--e--\r\n`;
      for (const members of [`${json}{"content":"x"}\r\n`, `${json}${label}\r\n`, '']) {
        const body = new TextEncoder().encode(members + file);
        const headers = { 'content-type': 'multipart/form-data; boundary=e' };
        const { status } = await service.anonymous.post(`${hook.path}?wait=true`, body, { headers });
        expect([name, members, status < 500]).toEqual([name, members, true]);
      }
    }
  });
});

describe('webhooks.md 4.1: parts of forms that name their own encoding', () => {
  /** Unpaired surrogates in UTF-16, alone and within text, and a NUL character. */
  const HALVES = ['\x00\xd8', '\x00\xdc', 'a\x00\x00\xd8b\x00', '\x00\xde\x3d\xd8', '\x00\x00'];
  const encoded = (half: string) => [...half].map((byte) => `%${Buffer.from(byte, 'latin1').toString('hex')}`).join('');
  const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}\r\n`;
  const UTF_16 = 'Content-Type: text/plain; charset=utf-16le\r\n';
  const GOOD = `${disposition('name="content"')}\r\nx`;
  const PARTS: [string, (half: string) => string[]][] = [
    ['a file name', (half) => [`${disposition(`name="files[0]"; filename*=utf-16le''${encoded(half)}`)}\r\nx`, GOOD]],
    [
      'a file name beside another',
      (half) => [`${disposition(`name="files[0]"; filename="a.txt"; filename*=utf-16le''${encoded(half)}`)}\r\nx`],
    ],
    [
      'the name of a file field',
      (half) => [`${disposition(`name*=utf-16le''${encoded(half)}; filename="a.txt"`)}\r\nx`],
    ],
    ['the name of a field', (half) => [`${disposition(`name*=utf-16le''${encoded(half)}`)}\r\nx`, GOOD]],
    [
      'the type of a file',
      (half) => [
        `${disposition('name="files[0]"; filename="a"')}Content-Type: text/plain; charset*=utf-16le''${encoded(half)}\r\n\r\nx`,
      ],
    ],
    ...['content', 'nonce', 'flags', 'payload_json', 'other'].map((name): [string, (half: string) => string[]] => [
      `the field ${name}`,
      (half) => [`${disposition(`name="${name}"`)}${UTF_16}\r\n${half}`, ...(name === 'content' ? [] : [GOOD])],
    ]),
  ];

  test.each(PARTS)('%s that cannot be stored is rejected or left out', async (_, partsOf) => {
    const hook = await newWebhook(service, alice, { name: 'Robot' });
    for (const half of HALVES) {
      const parts = partsOf(half).map((part) => `--e\r\n${part}\r\n`);
      const body = Buffer.from(`${parts.join('')}--e--\r\n`, 'latin1');
      const headers = { 'content-type': 'multipart/form-data; boundary=e' };
      const { status } = await service.anonymous.post(`${hook.path}?wait=true`, body, { headers });
      expect([encoded(half), [200, 400].includes(status), status]).toEqual([encoded(half), true, status]);
      const [stored] = await service.sql('SELECT count(*)::int AS count FROM webhook_message WHERE webhook_id = $1', [
        hook.id,
      ]);
      expect({ half: encoded(half), stored: stored?.count }).toEqual({
        half: encoded(half),
        stored: status === 200 ? 1 : 0,
      });
      await service.sql('DELETE FROM webhook_message WHERE webhook_id = $1', [hook.id]);
    }
  });
});

/** Close codes for payload, authentication and session errors. 4000 is missing, because it means a service error. */
const CLIENT_FAULTS = [4002, 4003, 4004, 4005, 4007, 4009];

describe('gateway.md: payloads', () => {
  test.each(ODD)('%j in any member closes the connection with a client error', async (odd) => {
    const d = { token: `${alice.authorization}${odd}`, properties: { os: odd, [odd]: odd }, presence: { status: odd } };
    for (const payload of [
      { op: 2, d },
      { op: 6, d: { token: odd, session_id: odd, seq: 1 } },
      { op: 3, d },
    ]) {
      const client = await GatewayClient.connect(service);
      client.send(payload);
      const [code] = await client.closed();
      expect([payload.op, CLIENT_FAULTS.includes(code), code]).toEqual([payload.op, true, code]);
    }
  });
});

describe('names that other users see', () => {
  const CONTROL = ['a\nb', 'a\r\nBcc: x@example.com', 'a\u0000b', 'a\u0085b', 'a\u202eb', '\u200b', '\u2800 \u3164'];

  test('an application name has visible characters in reading order', async () => {
    const apps = (body: object) => service.as(alice).post('/v1/oauth2/applications', body);
    const unseen = ['\u200b\u3164', '\u0000', '\u202e\u2066', '\u2800 \u00ad', '\u115f\ufeff'];
    for (const name of unseen) expectInvalid(await apps({ name }), 'name: INVALID_FORMAT');
    expect((await service.as(alice).get('/v1/oauth2/applications/@me')).body).toEqual([]);
    const { status, body } = await apps({ name: ' Chess\r\n\u202e Club\u0000 ' });
    expect([status, body.name]).toEqual([200, 'Chess Club']);
    for (const name of unseen) {
      expectInvalid(
        await service.as(alice).patch(`/v1/oauth2/applications/${body.id}`, { name }),
        'name: INVALID_FORMAT',
      );
    }
  });

  test('names of product and provider are one line with visible characters', async () => {
    const admin = await administrator(service, '*');
    const config = '/v1/admin/instance/config';
    const before = (await service.as(admin).get(config)).body;
    for (const name of CONTROL) {
      const branding = await service.as(admin).patch(config, { app_public: { branding: { product_name: name } } });
      // Text that cannot be stored at all makes the whole section invalid.
      const of = (path: string, section: string) => `${name.includes('\u0000') ? section : path}: INVALID_FORMAT`;
      expectInvalid(branding, of('app_public.branding.product_name', 'app_public'));
      expectInvalid(
        await service.as(admin).patch(config, { sso: { display_name: name } }),
        of('sso.display_name', 'sso'),
      );
    }
    expect((await service.as(admin).get(config)).body).toEqual(before);
  });

  test('a webhook name: NUL is a control character like the others', async () => {
    for (const name of ['a\u0000b', 'a\nb', '\u0000']) {
      const response = await service.as(alice).post('/v1/users/@me/webhooks', { name });
      expectInvalid(response, 'name: WEBHOOK_NAME_LENGTH_INVALID');
    }
  });

  test('the product name is reserved in any spelling, also one from the environment', async () => {
    await withGatehouse({ env: { PRODUCT_NAME: 'Ärger & Söhne' } }, async (own) => {
      const register = (body: object) => own.anonymous.post('/v1/auth/register', { consent: true, ...body });
      for (const global_name of ['arger sohne', 'ÄRGER+SÖHNE', 'A\u0308rger_So\u0308hne']) {
        expectInvalid(await register({ global_name }), 'global_name: GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS');
      }
      expect((await register({ global_name: 'A Burger' })).status).toBe(200);
    });
  });
});
