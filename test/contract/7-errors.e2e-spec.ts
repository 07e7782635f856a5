import {
  BadRequestException,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  GoneException,
  HttpException,
  Module,
  NotFoundException,
  Post,
  UnauthorizedException,
} from '@nestjs/common';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { ApiError } from '../../src/core/errors.js';
import { mintToken, randomLetters } from '../../src/core/secrets.js';
import { featureRegistry } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import type { Call } from '../../src/policy/call.js';
import { BlockedBySso, CurrentCall, Public, UserOnly } from '../../src/policy/decorators.js';
import { defineFeature } from '../../src/policy/feature.js';
import { Routes } from '../../src/policy/routes.js';
import {
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  person,
  RawConnection,
  type RawResponse,
  sendRaw,
  signIn,
} from '../support/index.js';

/** The error codes of conventions.md section 5, verbatim. */
const TABLE: Readonly<Record<number, string>> = {
  400: `INVALID_FORM_BODY BAD_REQUEST CAPTCHA_REQUIRED INVALID_CAPTCHA INVALID_HANDOFF_CODE HANDOFF_CODE_EXPIRED
    SESSION_TOKEN_MISMATCH IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED TWO_FA_ALREADY_ENABLED TWO_FA_NOT_ENABLED
    TWO_FACTOR_REQUIRED NO_PASSKEYS_REGISTERED INVALID_WEBAUTHN_CREDENTIAL WEBAUTHN_CREDENTIAL_LIMIT_REACHED
    SMS_VERIFICATION_UNAVAILABLE INVALID_PHONE_NUMBER INVALID_PHONE_VERIFICATION_CODE PHONE_ALREADY_USED
    MAX_APPLICATIONS MAX_ADMIN_API_KEYS MAX_ROLES MAX_CONNECTIONS MAX_EVENT_ENDPOINTS MAX_WEBHOOKS TOKEN_LIMIT_REACHED LAST_BOT_TOKEN
    LAST_SIGN_IN_METHOD UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS
    NOT_A_BOT_APPLICATION PUBLIC_CLIENT_HAS_NO_SECRET USERNAME_NOT_AVAILABLE REGISTRATION_NOT_PENDING IP_BAN_DECLINED
    JOB_NOT_RETRYABLE CANNOT_SEND_EMPTY_MESSAGE FILE_SIZE_TOO_LARGE MEDIA_QUOTA_EXCEEDED INVALID_REQUEST INVALID_GRANT
    INVALID_SCOPE UNSUPPORTED_GRANT_TYPE`,
  401: 'UNAUTHORIZED INVALID_TOKEN INVALID_CLIENT PASSKEY_AUTHENTICATION_FAILED',
  403: `ACCESS_DENIED CONNECTION_ACCOUNT_EXISTS MISSING_OAUTH_SCOPE MISSING_PERMISSIONS MISSING_ACL SSO_REQUIRED ACCOUNT_SUSPICIOUS_ACTIVITY
    SUDO_MODE_REQUIRED BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED BOT_USER_AUTH_SESSION_CREATION_DENIED
    ACCOUNT_SUSPENDED_TEMPORARILY ACCOUNT_SUSPENDED_PERMANENTLY REGISTRATION_CLOSED REGISTRATION_PENDING_APPROVAL
    REGISTRATION_REJECTED IP_AUTHORIZATION_REQUIRED GLOBAL_IP_BANNED GLOBAL_IP_TEMPORARILY_BANNED INVALID_API_ORIGIN
    FEATURE_TEMPORARILY_DISABLED MFA_EMAIL_VERIFICATION_REQUIRED BOT_IS_PRIVATE FORBIDDEN`,
  404: `NOT_FOUND UNKNOWN_USER UNKNOWN_TOKEN UNKNOWN_CONNECTION UNKNOWN_IDENTITY UNKNOWN_APPLICATION BOT_USER_NOT_FOUND UNKNOWN_WEBHOOK UNKNOWN_MESSAGE
    UNKNOWN_WEBAUTHN_CREDENTIAL ADMIN_API_KEY_NOT_FOUND UNKNOWN_JOB UNKNOWN_ROLE UNKNOWN_EVENT_ENDPOINT
    UNKNOWN_EVENT_DELIVERY`,
  409: 'CONFLICT OUTGOING_ENDPOINT_DISABLED OUTGOING_DELIVERY_PENDING',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  416: 'RANGE_NOT_SATISFIABLE',
  429: 'RATE_LIMITED PHONE_RATE_LIMIT_EXCEEDED IP_AUTHORIZATION_RESEND_COOLDOWN',
  500: 'INTERNAL_SERVER_ERROR BOT_USER_GENERATION_FAILED TRANSCODE_FAILED',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};
/** The response keeps the status of the media origin, so `TABLE` does not list this code. */
const OF_ANY_STATUS = 'UPSTREAM_FETCH_FAILED';

/** The field codes of conventions.md section 6, verbatim with each family expanded, and those of web.md section 5. */
const FIELD_CODES = `CONTENT_EXCEEDS_MAX_LENGTH STRING_LENGTH_EXACT EMAIL_LENGTH_INVALID INVALID_EMAIL_FORMAT
  INVALID_EMAIL_LOCAL_PART INVALID_EMAIL_ADDRESS INVALID_URL_FORMAT URL_NOT_PUBLICLY_ROUTABLE INVALID_SNOWFLAKE_FORMAT
  SNOWFLAKE_OUT_OF_RANGE BASE64_LENGTH_INVALID INVALID_BASE64_FORMAT IMAGE_SIZE_EXCEEDS_LIMIT INVALID_IMAGE_FORMAT
  INVALID_FORMAT INVALID_EMAIL_OR_PASSWORD INVALID_PASSWORD INVALID_CODE INVALID_MFA_CODE TOTP_NOT_ENABLED
  SESSION_TIMEOUT PASSWORD_LENGTH_INVALID PASSWORD_IS_TOO_COMMON USERNAME_LENGTH_INVALID USERNAME_INVALID_CHARACTERS
  USERNAME_RESERVED_VALUE USERNAME_CANNOT_CONTAIN_RESERVED_TERMS TOO_MANY_USERS_WITH_THIS_USERNAME TAG_ALREADY_TAKEN
  DISCRIMINATOR_INVALID_FORMAT DISCRIMINATOR_OUT_OF_RANGE BOT_DISCRIMINATOR_CANNOT_BE_CHANGED CONNECTION_ID_ALREADY_IN_USE
  GLOBAL_NAME_LENGTH_INVALID
  GLOBAL_NAME_RESERVED_VALUE GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS USERNAME_CHANGED_TOO_MANY_TIMES
  BIO_CHANGED_TOO_MANY_TIMES PRONOUNS_CHANGED_TOO_MANY_TIMES ACCENT_COLOR_CHANGED_TOO_MANY_TIMES
  AVATAR_CHANGED_TOO_MANY_TIMES BANNER_CHANGED_TOO_MANY_TIMES MUST_AGREE_TO_TOS_AND_PRIVACY_POLICY EMAIL_ALREADY_IN_USE
  EMAIL_MUST_BE_CHANGED_VIA_TOKEN NEW_EMAIL_MUST_BE_DIFFERENT NO_NEW_EMAIL_REQUESTED ORIGINAL_EMAIL_ALREADY_VERIFIED
  ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST ORIGINAL_VERIFICATION_NOT_REQUIRED INVALID_EMAIL_TOKEN EMAIL_TOKEN_EXPIRED
  USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS VERIFICATION_CODE_NOT_ISSUED VERIFICATION_CODE_EXPIRED INVALID_VERIFICATION_CODE
  INVALID_PROOF_TOKEN INVALID_OR_EXPIRED_TICKET TICKET_ALREADY_COMPLETED INVALID_OR_EXPIRED_VERIFICATION_TOKEN
  INVALID_OR_EXPIRED_RESET_TOKEN INVALID_OR_EXPIRED_REVERT_TOKEN INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN
  INVALID_OR_EXPIRED_AUTHORIZATION_TICKET INVALID_OR_EXPIRED_SSO_STATE PHONE_NUMBER_INVALID_FORMAT ROLE_NAME_ALREADY_IN_USE
  SSO_MISCONFIGURED SSO_IDENTITY_MISMATCH SSO_PROVIDER_DID_NOT_RETURN_EMAIL EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO
  INVALID_SSO_AUTHORIZATION_CODE INVALID_SSO_TOKEN FAILED_TO_FETCH_SSO_USER_INFO FAILED_TO_PARSE_SSO_USER_INFO
  SSO_UNABLE_TO_ALLOCATE_DISCRIMINATOR WEBHOOK_NAME_LENGTH_INVALID TOO_MANY_EMBEDS TOO_MANY_FILES INVALID_MESSAGE_DATA
  INVALID_JSON_IN_PAYLOAD_JSON FAILED_TO_PARSE_MULTIPART_FORM_DATA INVALID_FILE_FIELD_NAME DUPLICATE_FILE_INDEX
  FILE_SIZE_TOO_LARGE UPLOADED_ATTACHMENT_NOT_FOUND INVALID_MEDIA_URL
  INVALID_OR_EXPIRED_LOCKDOWN_TOKEN`;

const words = (text: string): string[] => text.split(/\s+/).sort();

const SECRET = 'a-detail-that-is-nobodys-business';

/** Values that a handler can throw, by accident or on purpose, and the response that the caller receives. */
const THROWN: Record<string, [thrown: () => unknown, expected: string]> = {
  error: [() => new Error(SECRET), '500 INTERNAL_SERVER_ERROR'],
  type: [() => new TypeError(SECRET), '500 INTERNAL_SERVER_ERROR'],
  syntax: [() => new SyntaxError(SECRET), '500 INTERNAL_SERVER_ERROR'],
  uri: [() => new URIError(SECRET), '500 INTERNAL_SERVER_ERROR'],
  text: [() => SECRET, '500 INTERNAL_SERVER_ERROR'],
  nothing: [() => undefined, '500 INTERNAL_SERVER_ERROR'],
  null: [() => null, '500 INTERNAL_SERVER_ERROR'],
  object: [() => ({ status: 200, statusCode: 200, message: SECRET }), '500 INTERNAL_SERVER_ERROR'],
  parser: [
    () => Object.assign(new Error(SECRET), { status: 413, statusCode: 413, type: 'entity.too.large', expose: true }),
    '500 INTERNAL_SERVER_ERROR',
  ],
  fastify: [
    () => Object.assign(new Error(SECRET), { statusCode: 415, code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }),
    '500 INTERNAL_SERVER_ERROR',
  ],
  bad: [() => new BadRequestException(SECRET), '400 BAD_REQUEST'],
  unauthorised: [() => new UnauthorizedException({ message: SECRET, code: SECRET }), '401 UNAUTHORIZED'],
  forbidden: [() => new ForbiddenException(SECRET), '403 FORBIDDEN'],
  missing: [() => new NotFoundException(SECRET), '404 NOT_FOUND'],
  conflict: [() => new ConflictException(SECRET), '409 CONFLICT'],
  gone: [() => new GoneException(SECRET), '410 GONE'],
  large: [() => new HttpException(SECRET, 413), '413 PAYLOAD_TOO_LARGE'],
  media: [() => new HttpException(SECRET, 415), '415 UNSUPPORTED_MEDIA_TYPE'],
  range: [() => new HttpException(SECRET, 416), '416 RANGE_NOT_SATISFIABLE'],
  often: [() => new HttpException(SECRET, 429), '429 RATE_LIMITED'],
  unlisted: [() => new HttpException(SECRET, 418), '400 BAD_REQUEST'],
  internal: [() => new HttpException(SECRET, 500), '500 INTERNAL_SERVER_ERROR'],
  unlistedInternal: [() => new HttpException(SECRET, 507), '500 INTERNAL_SERVER_ERROR'],
  success: [() => new HttpException(SECRET, 200), '500 INTERNAL_SERVER_ERROR'],
  redirect: [() => new HttpException(SECRET, 302), '500 INTERNAL_SERVER_ERROR'],
  gateway: [() => new HttpException(SECRET, 502), '502 BAD_GATEWAY'],
  down: [() => new HttpException(SECRET, 503), '503 SERVICE_UNAVAILABLE'],
  slow: [() => new HttpException(SECRET, 504), '504 GATEWAY_TIMEOUT'],
  refused: [() => Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' }), '500 INTERNAL_SERVER_ERROR'],
  own: [() => new ApiError('CAKES_GONE'), '402 CAKES_GONE'],
};

@Controller('v1/probe')
class ProbeController {
  constructor(private readonly database: Database) {}

  @Get('sql')
  @Public()
  sql() {
    return this.database.manager.query(`SELECT '${SECRET}'::bigint`);
  }

  @Get('begun')
  @Public()
  begun(@CurrentCall() { res }: Call) {
    res.writeHead(200, { 'Content-Length': '100' });
    res.write('a beginning');
    throw new Error(SECRET);
  }

  @Get('headers')
  @Public()
  headers(@CurrentCall() { res }: Call) {
    for (const name of ['ETag', 'Content-Disposition', 'Accept-Ranges', 'Last-Modified']) res.setHeader(name, '"x"');
    res.setHeader('Content-Type', 'text/html');
    res.setHeader('Content-Length', '5');
    res.setHeader('Cache-Control', 'public');
    throw new ApiError('NOT_FOUND');
  }

  @Get(':what')
  @Public()
  get(@CurrentCall() { params }: Call) {
    throw THROWN[String(params.what)]?.[0]();
  }

  @Post(':what')
  @Public()
  async post(@CurrentCall() { params }: Call) {
    await null;
    throw THROWN[String(params.what)]?.[0]();
  }
}

@Controller('v1/guarded')
class GuardedController {
  @Get()
  @UserOnly()
  @BlockedBySso()
  get() {
    return {};
  }
}

@Module({ controllers: [GuardedController] })
class GuardedModule {}

@Module({ imports: [GuardedModule], controllers: [ProbeController] })
class ProbeModule {}

const cakes = defineFeature('cakes', {
  modules: [ProbeModule],
  errors: { CAKES_GONE: [402, 'There is no cake.'] },
});

declare module '../../src/core/merged.js' {
  interface Features {
    cakesOfErrors: typeof cakes;
  }
}

describe('7 errors: the registry', () => {
  const { errors, fieldErrors } = featureRegistry();
  const registered = [...errors].map(([code, [status, message]]) => [code, status, message] as const);

  test('codes and statuses are exactly those of the contract', () => {
    const expected = Object.entries(TABLE).flatMap(([status, codes]) =>
      words(codes).map((code) => `${status} ${code}`),
    );
    const found = registered.filter(([code]) => code !== OF_ANY_STATUS).map(([code, status]) => `${status} ${code}`);
    expect(found.sort()).toEqual(expected.sort());
  });

  test('field codes are exactly those of the contract', () => {
    expect([...fieldErrors.keys()].sort()).toEqual(words(FIELD_CODES));
  });

  test('every code has the correct form and a message without details of the request', () => {
    for (const [code, , message] of registered) {
      expect(code).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(message).toMatch(/^[A-Z][^{}$%]*\.$/);
    }
    for (const message of fieldErrors.values()) expect(message).toMatch(/^[A-Z][^{}$%]*\.$/);
  });
});

describe('7 errors: no other error bodies', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ features: [cakes] });
  });
  afterAll(() => service.close());

  const expectBody = (response: RawResponse, expected: string) => {
    const [status, code = ''] = expected.split(' ');
    expect([response.status, response.body.code]).toEqual([Number(status), code]);
    const more = Number(status) >= 500 ? ['request_id'] : code === 'RATE_LIMITED' ? ['global', 'retry_after'] : [];
    expect(Object.keys(response.body).sort()).toEqual(['code', 'message', ...more].sort());
    if (Number(status) >= 500) expect(response.body.request_id).toBe(response.headers.get('x-request-id'));
    expect(response.text).not.toContain(SECRET);
    expect(JSON.stringify(response.lines)).not.toContain(SECRET);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('www-authenticate')).toBe(false);
  };

  test.each(Object.entries(THROWN))('a handler that throws %s', async (what, [, expected]) => {
    for (const method of ['GET', 'POST']) {
      expectBody(await sendRaw(service, [`${method} /v1/probe/${what} HTTP/1.1`, 'Content-Length: 0']), expected);
    }
  });

  test('a statement that the database rejects is 500, and is logged without its values', async () => {
    expectBody(
      await sendRaw(service, ['GET /v1/probe/sql HTTP/1.1', 'X-Request-ID: of-sql']),
      '500 INTERNAL_SERVER_ERROR',
    );
    const line = service.log.find((text) => text.includes('of-sql') && text.includes('request failed'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ route: '/v1/probe/sql', error: { sqlstate: '22P02' } });
  });

  test('if a response fails after it has begun, the connection ends', async () => {
    const connection = await RawConnection.open(service);
    connection.send('GET /v1/probe/begun HTTP/1.1\r\nHost: x\r\n\r\n');
    await connection.closed;
    expect(connection.unread).not.toContain('INTERNAL_SERVER_ERROR');
    await expect(connection.readResponse()).rejects.toThrow('ended');
  });

  test('headers that a handler set for its success are not sent with an error', async () => {
    const response = await sendRaw(service, ['GET /v1/probe/headers HTTP/1.1']);
    expectBody(response, '404 NOT_FOUND');
    for (const name of ['etag', 'content-disposition', 'accept-ranges']) expect(response.headers.has(name)).toBe(false);
    expect(response.headers.get('content-length')).toBe(String(response.text.length));
  });

  test('only 5xx errors have request_id', async () => {
    for (const path of ['/nope', '/v1/guarded', '/v1/probe/conflict']) {
      expect((await sendRaw(service, [`GET ${path} HTTP/1.1`])).body).not.toHaveProperty('request_id');
    }
  });

  test.each<[title: string, fault: () => unknown, expected: string]>([
    ['an error', () => new Error(SECRET), '500 INTERNAL_SERVER_ERROR'],
    ['an exception that would open the door', () => new HttpException(SECRET, 200), '500 INTERNAL_SERVER_ERROR'],
    ['an exception of the framework', () => new NotFoundException(SECRET), '500 INTERNAL_SERVER_ERROR'],
    ['nothing at all', () => undefined, '500 INTERNAL_SERVER_ERROR'],
    ['a lost database', () => Object.assign(new Error(SECRET), { code: '57P01' }), '503 SERVICE_UNAVAILABLE'],
  ])('a guard that throws %s denies', async (_title, fault, expected) => {
    const resolver = service.app.get(IdentityResolver);
    const instance = service.app.get(Instance);
    const thrower = () => {
      throw fault();
    };
    const authorization = `Authorization: flx_${randomLetters(36)}`;
    try {
      for (const broken of [thrower, async () => thrower()]) {
        resolver.resolve = broken;
        expectBody(await sendRaw(service, ['GET /v1/guarded HTTP/1.1', authorization]), expected);
        expectBody(await sendRaw(service, ['GET /v1/probe/own HTTP/1.1', authorization]), expected);
      }
    } finally {
      Reflect.deleteProperty(resolver, 'resolve');
    }
    Object.defineProperty(instance, 'isSsoEnforced', { get: thrower, configurable: true });
    try {
      expectBody(await sendRaw(service, ['GET /v1/guarded HTTP/1.1']), expected);
    } finally {
      Reflect.deleteProperty(instance, 'isSsoEnforced');
    }
    expectApiError(await sendRaw(service, ['GET /v1/guarded HTTP/1.1', authorization]), 'UNAUTHORIZED');
  });

  test('an unavailable database is 503 with Retry-After 5, never a success and never a 401', async () => {
    const database = service.app.get(Database);
    const { session } = await createCredentialSet(service);
    database.statement = () => Promise.reject(Object.assign(new Error('gone'), { code: '08006' }));
    try {
      const response = await sendRaw(service, ['GET /v1/guarded HTTP/1.1', `Authorization: ${session}`]);
      expectBody(response, '503 SERVICE_UNAVAILABLE');
      expect(response.headers.get('retry-after')).toBe('5');
    } finally {
      Reflect.deleteProperty(database, 'statement');
    }
  });
});

describe('5.5 one indistinct 401', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ modules: [GuardedModule] });
  });
  afterAll(() => service.close());

  /** The response without the values that differ each time: the date and the request ID. */
  const seen = ({ status, lines, text }: RawResponse) => ({
    status,
    text,
    lines: lines.map(([name, value]) => (/^(date|x-request-id)$/i.test(name) ? [name] : [name, value])),
  });

  /** Returns the path of a GET route with this policy kind, without parameters and with a case-sensitive scheme. */
  const routeOf = (kind: string): string => {
    const routes = service.app.get(Routes).all.filter(({ policy, method }) => policy.kind === kind && method === 'GET');
    const plain = routes.find(({ path, policy }) => !/[:*]/.test(path) && !policy.caseInsensitiveScheme);
    if (!plain) throw new Error(`no ${kind} route`);
    return plain.path;
  };

  test('unknown, expired, revoked, malformed and missing credentials get responses that are equal byte for byte', async () => {
    const alice = await createCredentialSet(service, { acls: ['*'], scopes: ['identify'] });
    const other = async (change: string, id: (of: typeof alice) => string) => {
      const made = await createCredentialSet(service, { acls: ['*'], scopes: ['identify'] });
      await service.sql(change, [id(made)]);
      return made;
    };
    const account = (of: typeof alice) => of.accountId;
    const application = (of: typeof alice) => of.applicationId;
    const ended = await person(service, 'ended');
    const loggedOut = await signIn(service, ended);
    await service.as(loggedOut).post('/v1/auth/logout');
    const user = '/v1/guarded';
    const any = '/v1/users/@me';
    const admin = routeOf('AdminAcl');
    const causes: [title: string, path: string, ...values: string[]][] = [
      ['missing', user],
      ['missing on any identity', any],
      ['missing on admin', admin],
      ['empty', user, ''],
      ['two lines', user, alice.session, alice.session],
      ['joined lines', user, `${alice.session}, ${alice.session}`],
      ['wrong case', user, alice.bearer.replace('Bearer', 'bearer')],
      ['two blanks', user, alice.bot.replace(' ', '  ')],
      ['Basic', user, 'Basic dTpw'],
      ['scheme alone', user, 'Bearer'],
      ['too long', user, 'x'.repeat(600)],
      ['beyond ASCII', user, `${alice.session}\u00a0`],
      ['unknown session', user, `flx_${randomLetters(36)}`],
      ['unknown session after Bearer', user, `Bearer flx_${randomLetters(36)}`],
      ['a session token of a wrong shape', user, 'flx_short'],
      ['ended session', user, loggedOut],
      ['unknown bearer', any, `Bearer ${mintToken()}`],
      ['a bearer of a wrong shape', any, 'Bearer short'],
      [
        'expired bearer',
        any,
        (await other("UPDATE oauth_token SET expires_at = now() - interval '1 s' WHERE account_id = $1", account))
          .bearer,
      ],
      ['revoked grant', any, (await other('DELETE FROM oauth_family WHERE account_id = $1', account)).bearer],
      ['deleted token', any, (await other('DELETE FROM oauth_token WHERE account_id = $1', account)).bearer],
      [
        'a refresh token',
        any,
        (await other("UPDATE oauth_token SET kind = 'refresh' WHERE account_id = $1", account)).bearer,
      ],
      ['unknown bot', any, `Bot ${alice.applicationId}.${mintToken()}`],
      ['a bot of a wrong shape', any, 'Bot x'],
      ["another bot's id", any, alice.bot.replace(/\d+/, '1')],
      [
        'reset bot token',
        any,
        (await other('UPDATE application SET bot_digest = NULL WHERE id = $1', application)).bot,
      ],
      ['deleted application', any, (await other('DELETE FROM application WHERE id = $1', application)).bot],
      ['banned bot', any, (await other('UPDATE account SET banned = true WHERE id = $1', application)).bot],
      ['Admin key outside admin', any, alice.adminKey],
      ['Admin key under another scheme', any, alice.adminKey.replace('Admin', 'Bearer')],
      ['bot on admin', admin, alice.bot],
      ['unknown Admin key', admin, `Admin fa_1_${randomLetters(32)}`],
      ['an Admin key of a wrong shape', admin, 'Admin fa_x'],
      ['another secret of a known key', admin, alice.adminKey.slice(0, -32) + randomLetters(32)],
      [
        'expired Admin key',
        admin,
        (await other("UPDATE admin_key SET expires_at = now() - interval '1 s' WHERE owner_id = $1", account)).adminKey,
      ],
      ['revoked Admin key', admin, (await other('DELETE FROM admin_key WHERE owner_id = $1', account)).adminKey],
    ];
    const states = { deleted: `flags = ${1n << 34n}`, disabled: `flags = ${1n << 38n}`, banned: 'banned = true' };
    for (const [state, assignment] of Object.entries(states)) {
      const gone = await other(`UPDATE account SET ${assignment} WHERE id = $1`, account);
      causes.push([`Admin key of a ${state} account`, admin, gone.adminKey]);
      causes.push([`Admin bearer of a ${state} account`, admin, gone.adminBearer]);
    }
    expect(causes.length).toBeGreaterThanOrEqual(40);
    const [first] = await answers(causes.slice(0, 1));
    for (const [index, response] of (await answers(causes)).entries()) {
      expectApiError(response, 'UNAUTHORIZED');
      expect([causes[index]?.[0], seen(response)]).toEqual([causes[index]?.[0], seen(first as RawResponse)]);
    }
  });

  test('no route asks for a password by WWW-Authenticate, and none allows methods', async () => {
    for (const { method, path } of service.app.get(Routes).all) {
      const target = path.replace(/[:*]\w+/g, '1');
      for (const lines of [[], ['Authorization: Basic dTpw']]) {
        const response = await sendRaw(service, [`${method} ${target} HTTP/1.1`, 'Content-Length: 0', ...lines]);
        for (const name of ['www-authenticate', 'set-cookie', 'allow', 'server', 'x-powered-by']) {
          expect([method, path, name, response.headers.has(name)]).toEqual([method, path, name, false]);
        }
      }
    }
  });

  async function answers(causes: [title: string, path: string, ...values: string[]][]): Promise<RawResponse[]> {
    const found: RawResponse[] = [];
    for (const [, path, ...values] of causes) {
      const lines = values.map((value) => `Authorization:${value && ' '}${value}`);
      found.push(await sendRaw(service, [`GET ${path} HTTP/1.1`, ...lines]));
    }
    return found;
  }
});
