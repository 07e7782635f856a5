import { Controller, Get, Module, Post } from '@nestjs/common';
import {
  AdminAcl,
  Authenticated,
  BearerOnly,
  BotOnly,
  CurrentIdentity,
  OAuthScope,
  Public,
} from '../../src/policy/decorators.js';
import type { Identity } from '../../src/policy/identity.js';
import {
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  RawConnection,
  type RawResponse,
  sendRaw,
} from '../support/index.js';

const describeMe = (me: Identity | null) => ({ via: me?.via ?? null, id: me?.account.id ?? null });

@Controller('v1/probe')
class ProbeController {
  @Get('anyone')
  @Public()
  anyone(@CurrentIdentity() me: Identity | null) {
    return describeMe(me);
  }

  @Get('authenticated')
  @Authenticated()
  @OAuthScope('identify')
  authenticated(@CurrentIdentity() me: Identity) {
    return describeMe(me);
  }

  @Post('authenticated')
  @Authenticated()
  post(@CurrentIdentity() me: Identity) {
    return describeMe(me);
  }

  @Get('bot')
  @BotOnly()
  bot(@CurrentIdentity() me: Identity) {
    return describeMe(me);
  }

  @Get('bearer')
  @BearerOnly()
  bearer(@CurrentIdentity() me: Identity) {
    return describeMe(me);
  }
}

@Controller('v1/admin/probe')
class AdminProbeController {
  @Get()
  @AdminAcl('audit_log:view')
  admin(@CurrentIdentity() me: Identity) {
    return describeMe(me);
  }
}

@Module({ controllers: [ProbeController, AdminProbeController] })
class ProbeModule {}

let service: Gatehouse;
let alice: CredentialSet;
let bob: CredentialSet;
beforeAll(async () => {
  service = await gatehouse({ modules: [ProbeModule] });
  alice = await createCredentialSet(service, { scopes: ['identify'] });
  bob = await createCredentialSet(service, { scopes: ['identify'] });
});
afterAll(() => service.close());

/** Returns the response of a route to these `Authorization` lines, which are sent byte for byte. */
const ask = (path: string, ...values: string[]): Promise<RawResponse> =>
  sendRaw(service, [`GET ${path} HTTP/1.1`, ...values.map((value) => `Authorization:${value}`)]);

const PROTECTED = '/v1/probe/authenticated';
const token = (value: string): string => value.split(' ').pop() ?? '';

describe('2.1 credential kinds', () => {
  test('each kind authenticates by its own scheme', async () => {
    const via = async (path: string, value: string) => (await ask(path, ` ${value}`)).body;
    expect(await via(PROTECTED, alice.session)).toEqual({ via: 'session', id: alice.accountId });
    expect(await via(PROTECTED, alice.bot)).toEqual({ via: 'bot', id: alice.applicationId });
    expect(await via(PROTECTED, alice.bearer)).toEqual({ via: 'bearer', id: alice.accountId });
    expect(await via('/v1/probe/bearer', alice.bearer)).toEqual({ via: 'bearer', id: alice.accountId });
  });

  test('no secret of one kind is accepted under the scheme of another', async () => {
    const secrets = [alice.session, alice.bot, alice.bearer, alice.adminKey, alice.adminBearer].map(token);
    const own = [alice.session, `Bearer ${alice.session}`, alice.bot, alice.bearer, alice.adminBearer];
    for (const secret of secrets) {
      for (const scheme of ['', 'Bot ', 'Bearer ', 'Admin ', 'bot ', 'BEARER ', 'Basic ']) {
        const value = scheme + secret;
        const response = await ask(PROTECTED, ` ${value}`);
        if (own.includes(value)) expect([value, response.status]).toEqual([value, 200]);
        else expectApiError(response, 'UNAUTHORIZED');
      }
    }
  });

  test('rule 4: Bearer with a session token is the session, so a bearer-only operation rejects it', async () => {
    expect((await ask(PROTECTED, ` Bearer ${alice.session}`)).body).toEqual({ via: 'session', id: alice.accountId });
    expectApiError(await ask('/v1/probe/bearer', ` Bearer ${alice.session}`), 'UNAUTHORIZED');
  });

  test('an Admin key outside /v1/admin is malformed', async () => {
    for (const path of [PROTECTED, '/v1/probe/bot', '/v1/users/@me']) {
      expectApiError(await ask(path, ` ${alice.adminKey}`), 'UNAUTHORIZED');
    }
    expect((await ask('/v1/probe/anyone', ` ${alice.adminKey}`)).body).toEqual({ via: null, id: null });
  });
});

/** Malformed `Authorization` lines. Their credentials would be valid in the correct form. */
const malformed = (): [title: string, lines: string[]][] => {
  const { session, bot, bearer } = alice;
  const flipped = (value: string) => value.replace(/[a-z]/i, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()));
  return [
    ['no line', []],
    ['an empty value', ['']],
    ['only blanks', ['   ']],
    ['only a tab', ['\t']],
    ['two valid lines of two accounts', [` ${session}`, ` ${bob.session}`]],
    ['the same in the other order', [` ${bob.session}`, ` ${session}`]],
    ['one valid line twice', [` ${session}`, ` ${session}`]],
    ['a valid line after an empty one', ['', ` ${session}`]],
    ['a valid line before an empty one', [` ${session}`, '']],
    ['two lines joined by a proxy', [` ${bot}, ${bearer}`]],
    ['Bot alone', [' Bot']],
    ['Bot and a blank', [' Bot ']],
    ['Bearer alone', [' Bearer']],
    ['Admin alone', [' Admin ']],
    ['two blanks after the scheme', [` Bot  ${token(bot)}`]],
    ['a tab after the scheme', [` Bot\t${token(bot)}`]],
    ['a tab after Bearer', [` Bearer\t${token(bearer)}`]],
    ['a blank inside', [` Bearer ${token(bearer).slice(0, 9)} ${token(bearer).slice(9)}`]],
    ...['\u00a0', '\u0085', '\u00ef\u00bb\u00bf', '\u00e2\u0080\u0083'].flatMap((space): [string, string[]][] => [
      [`${JSON.stringify(space)} behind`, [` ${session}${space}`]],
      [`${JSON.stringify(space)} before`, [` ${space}${session}`]],
      [`${JSON.stringify(space)} after the scheme`, [` Bearer${space}${token(bearer)}`]],
    ]),
    ...['bot', 'BOT', 'bOt'].map((scheme): [string, string[]] => [`${scheme}`, [` ${scheme} ${token(bot)}`]]),
    ...['bearer', 'BEARER', 'bEARER'].map((scheme): [string, string[]] => [scheme, [` ${scheme} ${token(bearer)}`]]),
    ['Basic', [` Basic ${Buffer.from(session).toString('base64')}`]],
    ['a scheme of its own', [` Token ${session}`]],
    ['Bot before Bearer', [` Bot ${bearer}`]],
    ['Bearer before Bot', [` Bearer ${bot}`]],
    ['a quoted token', [` Bearer "${token(bearer)}"`]],
    ['a named token', [` Bearer token="${token(bearer)}"`]],
    ['a base64 token', [` ${Buffer.from(session).toString('base64')}`]],
    ['a percent-encoded token', [` ${session.replace('_', '%5F')}`]],
    ['a session token with another case', [` ${flipped(session)}`]],
    ['a session token in capitals after Bearer', [` Bearer ${session.replace('flx_', 'FLX_')}`]],
    ['35 characters after Bearer flx_', [` Bearer ${session.slice(0, -1)}`]],
    ['37 characters after Bearer flx_', [` Bearer ${session}a`]],
    ['no character after Bearer flx_', [' Bearer flx_']],
    ['a look-alike digit', [` ${session.slice(0, -1)}\u00b9`]],
    ['512 characters', [` ${'x'.repeat(512)}`]],
    ['513 characters', [` ${'x'.repeat(513)}`]],
    ['8 KB', [` ${'x'.repeat(8192)}`]],
    ['a bot id beyond 63 bits', [` Bot 9999999999999999999.${token(bot).split('.')[1]}`]],
    ['a bot id with a leading zero', [` Bot 0${token(bot)}`]],
    ["another bot's id", [` Bot ${bob.applicationId}.${token(bot).split('.')[1]}`]],
  ];
};

describe('credentials.md 2: malformed values are not credentials', () => {
  test('every wrong presentation of a valid credential gets the same 401, on every protected policy', async () => {
    for (const [title, lines] of malformed()) {
      for (const path of [PROTECTED, '/v1/probe/bot', '/v1/probe/bearer']) {
        const { status, body } = await ask(path, ...lines);
        expect([title, path, status, body?.code]).toEqual([title, path, 401, 'UNAUTHORIZED']);
      }
    }
  });

  test('on a public operation, the same requests continue as anonymous', async () => {
    for (const [title, lines] of malformed()) {
      const { status, body } = await ask('/v1/probe/anyone', ...lines);
      expect([title, status, body]).toEqual([title, 200, { via: null, id: null }]);
    }
  });

  test('blanks and tabs around the value are stripped by HTTP', async () => {
    for (const value of [`${alice.session}`, `  \t ${alice.session}`, ` ${alice.session} \t `, ` ${alice.bot} `]) {
      expect((await ask(PROTECTED, value)).status).toBe(200);
    }
  });

  test('the name of the header is case-insensitive', async () => {
    for (const name of ['authorization', 'AUTHORIZATION', 'aUTHORIZATION']) {
      expect((await sendRaw(service, [`GET ${PROTECTED} HTTP/1.1`, `${name}: ${alice.session}`])).status).toBe(200);
    }
    const lines = [`authorization: ${alice.session}`, `AUTHORIZATION: ${alice.session}`];
    expectApiError(await sendRaw(service, [`GET ${PROTECTED} HTTP/1.1`, ...lines]), 'UNAUTHORIZED');
  });

  test('a credential is read only from this header', async () => {
    const { session } = alice;
    const elsewhere = [
      [`GET ${PROTECTED}?authorization=${session}&token=${session}&access_token=${token(alice.bearer)} HTTP/1.1`],
      [`GET ${PROTECTED} HTTP/1.1`, `Cookie: authorization=${session}; token=${session}; session=${session}`],
      [`GET ${PROTECTED} HTTP/1.1`, `Proxy-Authorization: ${session}`],
      [`GET ${PROTECTED} HTTP/1.1`, `X-Authorization: ${session}`, `X-Access-Token: ${session}`],
      [`GET ${PROTECTED} HTTP/1.1`, `X-Forwarded-Authorization: ${session}`],
      [`GET ${PROTECTED} HTTP/1.1`, `Authorization : ${session}`],
    ];
    for (const lines of elsewhere) {
      const response = await sendRaw(service, lines);
      expect([401, 400]).toContain(response.status);
      expect(['UNAUTHORIZED', 'BAD_REQUEST']).toContain(response.body.code);
    }
    const body = JSON.stringify({ authorization: session, token: session });
    const length = `Content-Length: ${body.length}`;
    const sent = await sendRaw(service, [`POST ${PROTECTED} HTTP/1.1`, 'Content-Type: application/json', length], {
      body,
    });
    expectApiError(sent, 'UNAUTHORIZED');
  });

  test('an Authorization line in a chunked trailer is ignored', async () => {
    const response = await sendRaw(
      service,
      [
        `POST ${PROTECTED} HTTP/1.1`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        'Trailer: Authorization',
      ],
      { body: `2\r\n{}\r\n0\r\nAuthorization: ${alice.session}\r\n\r\n` },
    );
    expectApiError(response, 'UNAUTHORIZED');
  });

  test('a control character or a folded line inside the value is a malformed request, not a credential', async () => {
    const values = ['\u0000', '\u0007', '\u007f', '\r', '\n', '\r\n '].map(
      (char) => ` ${alice.session.slice(0, 9)}${char}${alice.session.slice(9)}`,
    );
    for (const value of values) {
      const connection = await RawConnection.open(service);
      connection.send(`GET ${PROTECTED} HTTP/1.1\r\nHost: x\r\nAuthorization:${value}\r\n\r\n`);
      const response = await connection.readResponse();
      expect([400, 401]).toContain(response.status);
      expect(['BAD_REQUEST', 'UNAUTHORIZED']).toContain(response.body.code);
      connection.close();
    }
  });

  test('each request of a connection is authenticated separately', async () => {
    const connection = await RawConnection.open(service);
    const request = (value?: string) =>
      `GET /v1/probe/anyone HTTP/1.1\r\nHost: x\r\n${value ? `Authorization: ${value}\r\n` : ''}\r\n`;
    const values = [alice.session, undefined, bob.session, alice.bot, 'Bearer nobody', undefined, alice.bearer];
    connection.send(values.map(request).join(''));
    const ids: (string | null)[] = [];
    for (const _ of values) ids.push((await connection.readResponse()).body.id);
    connection.close();
    const { accountId, applicationId } = alice;
    expect(ids).toEqual([accountId, null, bob.accountId, applicationId, null, null, accountId]);
  });

  test('HTTP/1.0, an absolute-form target and a closing connection are parsed in the same way', async () => {
    const heads = [
      [`GET ${PROTECTED} HTTP/1.0`],
      [`GET http://elsewhere.example${PROTECTED} HTTP/1.1`],
      [`GET ${PROTECTED} HTTP/1.1`, 'Connection: close'],
    ];
    for (const lines of heads) {
      expect((await sendRaw(service, [...lines, `Authorization: ${alice.session}`])).body.id).toBe(alice.accountId);
      expectApiError(await sendRaw(service, [...lines, `Authorization: Bot ${alice.session}`]), 'UNAUTHORIZED');
      expectApiError(await sendRaw(service, lines), 'UNAUTHORIZED');
    }
  });
});

describe('credentials.md 2: an ID that no row can have', () => {
  test('an Admin key ID beyond 63 bits is an unknown key and does not disturb other lookups of its batch', async () => {
    const admin = await createCredentialSet(service, { acls: ['*'] });
    const impossible = `Admin fa_9999999999999999999_${'x'.repeat(32)}`;
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) => ask('/v1/admin/probe', ` ${index % 2 ? impossible : admin.adminKey}`)),
    );
    responses.forEach((response, index) => {
      if (index % 2) expectApiError(response, 'UNAUTHORIZED');
      else expect(response.body).toEqual({ via: 'admin-key', id: admin.accountId });
    });
  });
});
