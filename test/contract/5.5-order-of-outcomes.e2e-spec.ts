import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { Passwords } from '../../src/auth/factors/passwords.service.js';
import { featureRegistry } from '../../src/features.js';
import { Text } from '../../src/http/input.js';
import {
  AdminAcl,
  AllowSuspicious,
  BearerOnly,
  BlockedBySso,
  Captcha,
  OAuthScope,
  Public,
  RateLimit,
  ReadOnly,
  RequiresSudo,
  UserOnly,
} from '../../src/policy/decorators.js';
import { defineFeature } from '../../src/policy/feature.js';
import type { PolicyKind } from '../../src/policy/route-policy.js';
import { Routes } from '../../src/policy/routes.js';
import {
  type CredentialSet,
  type CredentialSetOptions,
  createCredentialSet,
  enforceSso,
  expectApiError,
  type Gatehouse,
  gatehouse,
  person,
  solveCaptcha,
  withTotp,
} from '../support/index.js';
import { Matrix } from '../support/matrix.js';

const SCOPES = [...featureRegistry().scopes.keys()];

const every = <T>(...lists: T[][]): T[][] =>
  lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);

describe('5.5 every route, every kind of credential', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  /** Errors of handlers that use a code of the order: an Admin API key cannot manage keys (admin.md section 4). */
  const OF_HANDLERS = [
    'POST /v1/admin/api-keys by adminKey: ACCESS_DENIED',
    'PATCH /v1/admin/api-keys/:key_id by adminKey: ACCESS_DENIED',
    'DELETE /v1/admin/api-keys/:key_id by adminKey: ACCESS_DENIED',
  ];
  const matrix = (...kinds: PolicyKind[]) => {
    const routes = service.app.get(Routes).all.filter(({ policy }) => kinds.includes(policy.kind));
    expect(routes).not.toEqual([]);
    return new Matrix(service, routes, OF_HANDLERS);
  };

  test.each<PolicyKind>(['Authenticated', 'UserOnly', 'BotOnly', 'BearerOnly', 'AdminAcl', 'ClientAuth', 'Public'])(
    '@%s',
    async (kind) => {
      expect(await matrix(kind).ofCallers()).toEqual([]);
    },
    120_000,
  );

  test('@CredentialFree: no credential changes the response', async () => {
    expect(await matrix('CredentialFree').ofCredentialFree()).toEqual([]);
  });

  test('@AdminAcl: the ACLs of the account, and those of both key and owner', async () => {
    expect(await matrix('AdminAcl').ofAcls()).toEqual([]);
  });
});

const probe = defineFeature('probe', {
  buckets: { 'probe:fresh': [1_000_000, 1], 'probe:spent': [1, 1_000_000] },
});

declare module '../../src/core/merged.js' {
  interface Features {
    probeOfOutcomes: typeof probe;
  }
}

class NameInput {
  @Text({ min: 1, max: 5 }) name: string;
}

/**
 * Every row of the order applies to `fresh` and `spent`, or to their variants with sudo mode, which no access token
 * satisfies. They differ only in whether the caller's allowance is used up.
 */
@Controller('v1/probe')
class ProbeController {
  @Post('fresh')
  @HttpCode(204)
  @UserOnly()
  @OAuthScope('identify')
  @BlockedBySso()
  @RateLimit('probe:fresh')
  @Captcha()
  fresh(@Body() _input: NameInput) {}

  @Post('fresh-sudo')
  @HttpCode(204)
  @UserOnly()
  @BlockedBySso()
  @RateLimit('probe:fresh')
  @Captcha()
  @RequiresSudo()
  freshSudo(@Body() _input: NameInput) {}

  @Post('spent')
  @HttpCode(204)
  @UserOnly()
  @OAuthScope('identify')
  @BlockedBySso()
  @RateLimit('probe:spent')
  @Captcha()
  spent(@Body() _input: NameInput) {}

  @Post('spent-sudo')
  @HttpCode(204)
  @UserOnly()
  @BlockedBySso()
  @RateLimit('probe:spent')
  @Captcha()
  @RequiresSudo()
  spentSudo(@Body() _input: NameInput) {}

  @Post('bearer')
  @HttpCode(204)
  @BearerOnly()
  @OAuthScope('identify')
  bearer(@Body() _input: NameInput) {}

  @Post('public')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @Captcha()
  open(@Body() _input: NameInput) {}

  @Post('admitting')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  admitting(@Body() _input: NameInput) {}
}

@Controller('v1/admin/probe')
class AdminProbeController {
  @Post('fresh')
  @HttpCode(204)
  @AdminAcl('audit_log:view')
  @ReadOnly()
  @RateLimit('probe:fresh')
  fresh(@Body() _input: NameInput) {}

  @Post('spent')
  @HttpCode(204)
  @AdminAcl('audit_log:view')
  @ReadOnly()
  @RateLimit('probe:spent')
  spent(@Body() _input: NameInput) {}
}

@Module({ controllers: [ProbeController, AdminProbeController] })
class ProbeModule {}

const PASSWORD = 'a quiet afternoon';

describe('credentials.md 4: which error is returned first', () => {
  let service: Gatehouse;
  let passwordHash: string;
  beforeAll(async () => {
    service = await gatehouse({
      features: [probe],
      modules: [ProbeModule],
      env: { RATE_LIMITS: 'on', CAPTCHA_PROVIDER: 'altcha' },
    });
    passwordHash = await service.app.get(Passwords).hash(PASSWORD);
  });
  afterAll(() => service.close());

  /** Creates an account whose only rate limit in effect is the bucket under test. */
  const worn = async (options: CredentialSetOptions): Promise<CredentialSet> => {
    const made = await createCredentialSet(service, { flags: 1n << 33n, ...options });
    await service.sql('UPDATE account SET password_hash = $2 WHERE id = $1', [made.accountId, passwordHash]);
    return made;
  };

  test('on a user operation, over every combination of faults', async () => {
    // The faults of callers, in the order of the table. Only `bearer` and `session` have none.
    const callers = ['nobody', 'bot', 'bearer without scope', 'bearer', 'session'] as const;
    const credentialSets = new Map<string, CredentialSet>();
    for (const [captcha, suspicious] of every([true, false], [true, false])) {
      const traits = captcha ? [] : ['captcha_exempt'];
      credentialSets.set(
        `${captcha} ${suspicious}`,
        await worn({ traits, suspicious: suspicious ? 1 : 0, scopes: [] }),
      );
    }
    const valueFor = (caller: (typeof callers)[number], of: CredentialSet) =>
      ({
        nobody: undefined,
        bot: of.bot,
        'bearer without scope': of.bearer,
        bearer: of.adminBearer,
        session: of.session,
      })[caller];
    const asCaller = (value: string | undefined) => (value === undefined ? service.anonymous : service.as(value));
    for (const of of credentialSets.values()) {
      for (const caller of callers) await asCaller(valueFor(caller, of)).post('/v1/probe/spent');
    }
    let seen = 0;
    for (const sso of [false, true]) {
      await enforceSso(service, sso);
      for (const [spent, captcha, suspicious, body, needsSudo, sudo] of every(
        ...Array(6).fill([false, true]),
      ) as boolean[][]) {
        if (sudo && !needsSudo) continue;
        for (const caller of callers) {
          if (needsSudo && caller === 'bearer without scope') continue;
          const of = credentialSets.get(`${captcha} ${suspicious}`) as CredentialSet;
          const reachesCaptcha = !sso && !spent && caller === 'nobody';
          const token = reachesCaptcha && !captcha ? await solveCaptcha(service) : 'none';
          const response = await asCaller(valueFor(caller, of))
            .with(captcha ? {} : { 'x-captcha-token': token })
            .post(`/v1/probe/${spent ? 'spent' : 'fresh'}${needsSudo ? '-sudo' : ''}`, {
              name: body ? '' : 'x',
              ...(needsSudo && !sudo && { password: PASSWORD }),
            });
          const order: [applies: boolean | undefined, code: string][] = [
            [sso, 'SSO_REQUIRED'],
            [spent, 'RATE_LIMITED'],
            [captcha, 'CAPTCHA_REQUIRED'],
            [caller === 'nobody', 'UNAUTHORIZED'],
            [caller === 'bot' || (needsSudo && caller === 'bearer'), 'ACCESS_DENIED'],
            [caller === 'bearer without scope', 'MISSING_OAUTH_SCOPE'],
            [suspicious, 'ACCOUNT_SUSPICIOUS_ACTIVITY'],
            [body, 'INVALID_FORM_BODY'],
            [sudo, 'SUDO_MODE_REQUIRED'],
          ];
          const wanted = order.find(([applies]) => applies)?.[1] ?? '204';
          const faults = { sso, spent, captcha, caller, suspicious, body, needsSudo, sudo };
          expect([faults, response.body?.code ?? String(response.status)]).toEqual([faults, wanted]);
          seen++;
        }
      }
    }
    await enforceSso(service, false);
    expect(seen).toBe(2 * 2 ** 4 * (5 + 2 * 4));
  });

  test('on an Admin operation, over every combination of faults', async () => {
    const callers = ['nobody', 'bot', 'bearer', 'adminBearer', 'session', 'adminKey'] as const;
    for (const acls of [[], ['admin:authenticate'], ['admin:authenticate', 'audit_log:view']]) {
      for (const suspicious of [0, 1]) {
        const of = await worn({ acls, suspicious, scopes: SCOPES });
        for (const caller of callers) {
          const client = caller === 'nobody' ? service.anonymous : service.as(of[caller]);
          await client.post('/v1/admin/probe/spent');
          for (const [spent, body] of every([false, true], [false, true]) as boolean[][]) {
            const path = `/v1/admin/probe/${spent ? 'spent' : 'fresh'}`;
            const response = await client.post(path, { name: body ? '' : 'x' });
            const order: [applies: boolean | undefined, code: string][] = [
              [spent, 'RATE_LIMITED'],
              [caller === 'nobody' || caller === 'bot', 'UNAUTHORIZED'],
              [caller === 'bearer', 'ACCESS_DENIED'],
              [acls.length === 0, 'MISSING_PERMISSIONS'],
              [acls.length === 1, 'MISSING_ACL'],
              [body, 'INVALID_FORM_BODY'],
            ];
            const wanted = order.find(([applies]) => applies)?.[1] ?? '204';
            const faults = { acls, suspicious, caller, spent, body };
            expect([faults, response.body?.code ?? String(response.status)]).toEqual([faults, wanted]);
          }
        }
      }
    }
  });

  test('on a bearer-only operation: kind of credential, scope, suspicion, body', async () => {
    for (const [scoped, suspicious, body] of every(...Array(3).fill([false, true])) as boolean[][]) {
      const of = await worn({ scopes: scoped ? ['identify'] : [], suspicious: suspicious ? 1 : 0 });
      for (const caller of ['session', 'bot', 'adminKey', 'bearer'] as const) {
        const response = await service.as(of[caller]).post('/v1/probe/bearer', { name: body ? '' : 'x' });
        const order: [applies: boolean | undefined, code: string][] = [
          [caller !== 'bearer', 'UNAUTHORIZED'],
          [!scoped, 'MISSING_OAUTH_SCOPE'],
          [suspicious, 'ACCOUNT_SUSPICIOUS_ACTIVITY'],
          [body, 'INVALID_FORM_BODY'],
        ];
        const wanted = order.find(([applies]) => applies)?.[1] ?? '204';
        expect([caller, scoped, suspicious, body, response.body?.code ?? '204']).toEqual([
          ...[caller, scoped, suspicious, body, wanted],
        ]);
      }
    }
  });

  test('an error has only the members of its code', async () => {
    const of = await worn({ suspicious: 0b1001, scopes: [], traits: ['captcha_exempt'] });
    expect((await service.as(of.bearer).post('/v1/probe/fresh')).body).toEqual({
      code: 'MISSING_OAUTH_SCOPE',
      message: expect.any(String),
      required_scope: 'identify',
    });
    expect((await service.as(of.session).post('/v1/probe/fresh')).body).toEqual({
      code: 'ACCOUNT_SUSPICIOUS_ACTIVITY',
      message: expect.any(String),
      data: { suspicious_activity_flags: 0b1001 },
    });
    expect((await service.as(of.session).post('/v1/probe/admitting', { name: 'x' })).body).toEqual({
      code: 'SUDO_MODE_REQUIRED',
      message: expect.any(String),
      has_mfa: false,
      methods: { totp: false, webauthn: false, backup_codes: false },
    });
  });

  test('a requirement that is met disappears from the error; after the last one, the request succeeds', async () => {
    const of = await worn({ suspicious: 1 | 4, traits: ['captcha_exempt'] });
    const flags = async () =>
      (await service.as(of.session).post('/v1/probe/fresh', { name: 'x' })).body?.data?.suspicious_activity_flags;
    expect(await flags()).toBe(5);
    const email = `${of.accountId}@example.com`;
    await service.sql('UPDATE account SET email = $2, email_verified = true WHERE id = $1', [of.accountId, email]);
    expect(await flags()).toBe(4);
    await service.sql('UPDATE account SET has_verified_phone = true WHERE id = $1', [of.accountId]);
    expect((await service.as(of.session).post('/v1/probe/fresh', { name: 'x' })).status).toBe(204);
  });

  test('public operations have no suspicious-activity gate', async () => {
    const of = await worn({ suspicious: 255, traits: ['captcha_exempt'] });
    expect((await service.as(of.session).post('/v1/probe/public', { name: 'x' })).status).toBe(204);
  });

  test('SSO_REQUIRED is returned before a captcha token is consumed', async () => {
    const token = await solveCaptcha(service);
    const client = service.anonymous.with({ 'x-captcha-token': token });
    await enforceSso(service, true);
    expectApiError(await client.post('/v1/probe/public', { name: 'x' }), 'SSO_REQUIRED');
    await enforceSso(service, false);
    expect((await client.post('/v1/probe/public', { name: 'x' })).status).toBe(204);
  });
});

describe('credentials.md 4: an invalid body never consumes a factor', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const OPERATION = '/v1/auth/sessions/logout';
  const bad = (code: string): [title: string, body: unknown, headers: Record<string, string>, refusal: string][] => {
    const right = { session_id_hashes: [], mfa_method: 'totp', mfa_code: code };
    const padding = 'x'.repeat(256 * 1024);
    return [
      ['a missing member', { mfa_method: 'totp', mfa_code: code }, {}, 'INVALID_FORM_BODY'],
      ['a wrong member', { ...right, session_id_hashes: 'all' }, {}, 'INVALID_FORM_BODY'],
      ['a wrong sudo member', { ...right, webauthn_challenge: 1 }, {}, 'INVALID_FORM_BODY'],
      ['text that is no JSON', `${JSON.stringify(right)},`, {}, 'INVALID_FORM_BODY'],
      ['another content type', JSON.stringify(right), { 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
      ['an encoding', JSON.stringify(right), { 'content-encoding': 'gzip' }, 'UNSUPPORTED_MEDIA_TYPE'],
      ['too much of it', { ...right, padding }, {}, 'PAYLOAD_TOO_LARGE'],
    ];
  };

  test('neither a TOTP code nor a backup code', async () => {
    const alice = await person(service, 'alice');
    const { authenticator, backupCodes } = await withTotp(service, alice);
    for (const code of [authenticator.next(), backupCodes[0] as string]) {
      for (const [title, body, headers, apiError] of bad(code)) {
        const response = await service.as(alice).send('POST', OPERATION, body, { headers });
        expect([title, response.body.code]).toEqual([title, apiError]);
        expect(response.headers.has('x-service-sudo-mode-jwt')).toBe(false);
      }
      const right = { session_id_hashes: [], mfa_method: 'totp', mfa_code: code };
      expect((await service.as(alice).post(OPERATION, right)).status).toBe(204);
      expect((await service.as(alice).post(OPERATION, right)).body.errors[0]).toMatchObject({
        code: 'INVALID_MFA_CODE',
      });
    }
  });
});
