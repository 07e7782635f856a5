import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Keyring } from '../../core/secrets.js';
import { featureRegistry } from '../../features.js';
import type { Account } from '../../policy/account.js';
import { Call, type SudoMembers } from '../../policy/call.js';
import type { Identity } from '../../policy/identity.js';
import { SUDO_PROOF_SECONDS, SudoService } from './sudo.service.js';
import { SudoAttempts } from './sudo-attempts.service.js';

const ORIGIN = 'https://gatehouse.example';
const START = 1_700_000_000;

const accountOf = (more: Partial<Account> = {}) =>
  ({ id: '1', bot: false, hasPassword: true, hasTotp: false, passkeys: 0, epoch: 3, ...more }) as Account;
const WITH_TOTP = accountOf({ hasTotp: true });
const WITH_PASSKEY = accountOf({ passkeys: 1 });
const RIGHT = { password: 'right', code: '123456' };
const assertion = { webauthn_challenge: 'challenge', webauthn_response: { right: true } };

/** Sudo mode with a correct password, code and assertion. Records all calls. */
function sudoMode({
  secret = randomBytes(32),
  secretPrevious,
  hasBackupCodes = false,
  admitted = true,
}: {
  secret?: Buffer;
  secretPrevious?: Buffer;
  hasBackupCodes?: boolean;
  admitted?: boolean;
} = {}) {
  const did: unknown[] = [];
  const note = <T>(response: T, ...what: unknown[]): T => {
    did.push(what);
    return response;
  };
  const clock = { time: START, seconds: () => clock.time, date: () => new Date(clock.time * 1000) };
  const parts = [
    new Keyring({ secret, secretPrevious } as unknown as Config),
    { publicOrigin: ORIGIN },
    clock,
    new SudoAttempts({
      charge: async (...values: unknown[]) => note({ admitted }, 'charge', ...values),
      reset: async (...values: unknown[]) => note(undefined, 'reset', ...values),
    } as never),
    { isPasswordOf: async (id: string, password: string) => note(password === RIGHT.password, 'password', id) },
    {
      spendCode: async (id: string, code: string, tx: unknown) => note(code === RIGHT.code, 'code', id, tx),
      hasBackupCodes: async () => hasBackupCodes,
    },
    {
      prove: async (id: string, purpose: string, subject: string, given: typeof assertion, tx: unknown) =>
        note(
          'right' in (given as never as { response: object }).response ? 'holder' : null,
          purpose,
          id,
          subject,
          given,
          tx,
        ),
      passkeysOf: async (id: string) => note(['its passkeys'], 'passkeys', id),
      accountOptions: async (...values: unknown[]) => note('options', 'options', ...values),
    },
    { manager: 'manager', transaction: (work: (tx: string) => unknown) => work('tx') },
    {
      record: async (tx: unknown, { accountId, type, data }: never) =>
        note(undefined, 'told', tx, accountId, type, data),
    },
  ];
  const service = Reflect.construct(SudoService, parts) as SudoService;
  const demand = async (account: Account, members?: SudoMembers, proof?: string | string[]) => {
    const req = { headers: proof === undefined ? {} : { 'x-service-sudo-mode-jwt': proof } };
    const call = {
      sudoMembers: members,
      req,
      sudoProof: Reflect.get(Call.prototype, 'sudoProof', { req }),
      address: '192.0.2.1',
      sudoFactorSpent: false,
    } as unknown as Call;
    const identity = { via: 'session', account } as Identity;
    const outcome = await service.demand(identity, call).catch((error) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
    return { outcome, isSpent: call.sudoFactorSpent, did: did.splice(0) };
  };
  return { service, demand, clock };
}

const CHARGED = ['charge', 'sudo', '1', 10, 900];
const CLEARED = ['reset', 'sudo', '1'];
const recordedEvent = (tx: string, method: string) => ['told', tx, '1', 'sudo_granted', { method }];
const bodyOf = (outcome: unknown) => featureRegistry().describe(outcome as ApiError).body;
const PROOF = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/);

describe('account.md 8.3: accounts that need no proof', () => {
  test.each([
    ['a bot', accountOf({ bot: true, hasPassword: false })],
    ['a bot with everything', accountOf({ bot: true, hasTotp: true, passkeys: 1 })],
    ['an account without a password and without a factor', accountOf({ hasPassword: false })],
  ])('%s gets no proof, and nothing is consumed', async (_, account) => {
    const sent = { password: 'x', mfa_method: 'totp', mfa_code: RIGHT.code } as const;
    expect(await sudoMode().demand(account, sent, 'a proof')).toEqual({ outcome: null, isSpent: false, did: [] });
  });
});

describe('account.md 8.3: a password as the only factor', () => {
  test('a correct one succeeds without a proof, is recorded, and restores the allowance', async () => {
    expect(await sudoMode().demand(accountOf(), RIGHT)).toEqual({
      outcome: null,
      isSpent: false,
      did: [CHARGED, ['password', '1'], CLEARED, recordedEvent('manager', 'password')],
    });
  });

  test('a wrong one is charged', async () => {
    const { outcome, did } = await sudoMode().demand(accountOf(), { password: 'wrong' });
    expect(bodyOf(outcome)).toMatchObject({
      code: 'INVALID_FORM_BODY',
      errors: [expect.objectContaining({ path: 'password', code: 'INVALID_PASSWORD' })],
    });
    expect(did).toEqual([CHARGED, ['password', '1']]);
  });

  test('beyond the allowance a correct one is wrong, and not checked', async () => {
    const { outcome, did } = await sudoMode({ admitted: false }).demand(accountOf(), RIGHT);
    expect(bodyOf(outcome)).toMatchObject({ errors: [expect.objectContaining({ code: 'INVALID_PASSWORD' })] });
    expect(did).toEqual([CHARGED]);
  });

  test.each([undefined, {}, { mfa_method: 'totp', mfa_code: RIGHT.code } as const])(
    'without one, %j, the error lists the available methods',
    async (members) => {
      const { outcome, did } = await sudoMode({ hasBackupCodes: true }).demand(accountOf(), members);
      expect(bodyOf(outcome)).toMatchObject({
        code: 'SUDO_MODE_REQUIRED',
        has_mfa: false,
        methods: { totp: false, webauthn: false, backup_codes: true },
      });
      expect(did).toEqual([]);
    },
  );
});

describe('account.md 8.3: a second factor', () => {
  test.each([
    ['code', WITH_TOTP],
    ['code', WITH_PASSKEY],
  ])('a correct %s succeeds with a new proof, and is recorded in one transaction', async (_, account) => {
    const { service, demand } = sudoMode();
    const { outcome, isSpent, did } = await demand(account, { mfa_method: 'totp', mfa_code: RIGHT.code });
    expect(outcome).toEqual(PROOF);
    expect(await service.isValid(outcome as string, account)).toBe(true);
    expect(isSpent).toBe(true);
    expect(did).toEqual([CHARGED, ['code', '1', 'tx'], recordedEvent('tx', 'code'), CLEARED]);
  });

  test('a wrong code is charged and not recorded', async () => {
    const { outcome, isSpent, did } = await sudoMode().demand(WITH_TOTP, { mfa_method: 'totp', mfa_code: '000000' });
    expect(bodyOf(outcome)).toMatchObject({
      code: 'INVALID_FORM_BODY',
      errors: [expect.objectContaining({ path: 'mfa_code', code: 'INVALID_MFA_CODE' })],
    });
    expect(isSpent).toBe(false);
    expect(did).toEqual([CHARGED, ['code', '1', 'tx']]);
  });

  test('beyond the allowance a correct code is wrong, and is not consumed', async () => {
    const { outcome, did } = await sudoMode({ admitted: false }).demand(WITH_TOTP, {
      mfa_method: 'totp',
      mfa_code: RIGHT.code,
    });
    expect(bodyOf(outcome)).toMatchObject({ errors: [expect.objectContaining({ code: 'INVALID_MFA_CODE' })] });
    expect(did).toEqual([CHARGED]);
  });

  test('a correct assertion succeeds with a new proof and charges nothing, even beyond the allowance', async () => {
    const { outcome, isSpent, did } = await sudoMode({ admitted: false }).demand(WITH_PASSKEY, {
      mfa_method: 'webauthn',
      ...assertion,
    });
    expect(outcome).toEqual(PROOF);
    expect(isSpent).toBe(true);
    const given = { challenge: 'challenge', response: { right: true } };
    expect(did).toEqual([['webauthn-sudo', '1', '1', given, 'tx'], recordedEvent('tx', 'passkey')]);
  });

  test('a wrong assertion is a wrong code', async () => {
    const { outcome, isSpent, did } = await sudoMode().demand(WITH_PASSKEY, {
      mfa_method: 'webauthn',
      webauthn_challenge: 'challenge',
      webauthn_response: {},
    });
    expect(bodyOf(outcome)).toMatchObject({
      errors: [expect.objectContaining({ path: 'mfa_code', code: 'INVALID_MFA_CODE' })],
    });
    expect(isSpent).toBe(false);
    expect(did).toHaveLength(1);
  });

  test.each<[string, SudoMembers | undefined]>([
    ['nothing', undefined],
    ['a password', RIGHT],
    ['a code of no method', { mfa_code: RIGHT.code }],
    ['a method without a code', { mfa_method: 'totp' }],
    ['a code of the other method', { mfa_method: 'webauthn', mfa_code: RIGHT.code }],
    ['an assertion of no method', assertion],
    ['an assertion of the other method', { mfa_method: 'totp', ...assertion }],
    ['a challenge alone', { mfa_method: 'webauthn', webauthn_challenge: 'challenge' }],
    ['a response alone', { mfa_method: 'webauthn', webauthn_response: { right: true } }],
  ])('%s proves nothing, and nothing is charged', async (_, members) => {
    const { outcome, isSpent, did } = await sudoMode().demand(WITH_TOTP, members);
    expect(bodyOf(outcome)).toMatchObject({
      code: 'SUDO_MODE_REQUIRED',
      has_mfa: true,
      methods: { totp: true, webauthn: false, backup_codes: false },
    });
    expect(bodyOf(outcome)).not.toHaveProperty('methods.has_mfa');
    expect({ isSpent, did }).toEqual({ isSpent: false, did: [] });
  });
});

describe('account.md 8.2: the methods of an account', () => {
  test.each([
    [accountOf(), { totp: false, webauthn: false, backup_codes: false, has_mfa: false }],
    [WITH_TOTP, { totp: true, webauthn: false, backup_codes: false, has_mfa: true }],
    [WITH_PASSKEY, { totp: false, webauthn: true, backup_codes: false, has_mfa: true }],
  ])('%j', async (account, methods) => {
    expect(await sudoMode().service.methodsOf(account)).toEqual(methods);
  });

  test('options for its own passkeys, if it has any', async () => {
    const { service, demand } = sudoMode();
    expect(await service.webauthnOptions(WITH_PASSKEY)).toBe('options');
    const { did } = await demand(accountOf({ bot: true }));
    expect(did).toEqual([
      ['passkeys', '1'],
      ['options', 'webauthn-sudo', WITH_PASSKEY, '1', ['its passkeys']],
    ]);
    await expect(service.webauthnOptions(WITH_TOTP)).rejects.toMatchObject({ code: 'NO_PASSKEYS_REGISTERED' });
  });
});

describe('credentials.md 6: a proof', () => {
  test('is accepted instead of a factor, and returned unchanged', async () => {
    const { service, demand } = sudoMode();
    const proof = await service.issue(WITH_TOTP);
    const members = { mfa_method: 'totp', mfa_code: RIGHT.code } as const;
    expect(await demand(WITH_TOTP, members, proof)).toEqual({ outcome: proof, isSpent: false, did: [] });
  });

  test('is not accepted for an account that has only a password', async () => {
    const { service, demand } = sudoMode();
    const { outcome } = await demand(accountOf(), undefined, await service.issue(accountOf()));
    expect(bodyOf(outcome)).toMatchObject({ code: 'SUDO_MODE_REQUIRED' });
  });

  test('an invalid one is ignored, and the factor is checked', async () => {
    const { service, demand } = sudoMode();
    const foreign = await service.issue(accountOf({ id: '2' }));
    for (const sent of ['', 'none', foreign, [await service.issue(WITH_TOTP)]]) {
      expect(bodyOf((await demand(WITH_TOTP, {}, sent)).outcome)).toMatchObject({ code: 'SUDO_MODE_REQUIRED' });
    }
  });

  test('contains account, time, expiration and key ID', async () => {
    const secret = randomBytes(32);
    const { service } = sudoMode({ secret });
    const proof = await service.issue(WITH_TOTP);
    const kid = new Keyring({ secret } as Config).signing('sudo').id;
    expect(decodeProtectedHeader(proof)).toEqual({ alg: 'HS256', typ: 'gatehouse-sudo+jwt', kid });
    expect(decodeJwt(proof)).toEqual({
      epoch: 3,
      iss: ORIGIN,
      aud: 'sudo',
      sub: '1',
      iat: START,
      exp: START + 300,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(SUDO_PROOF_SECONDS).toBe(300);
    expect(decodeJwt(await service.issue(WITH_TOTP)).jti).not.toBe(decodeJwt(proof).jti);
  });

  test('is valid for five minutes, to the second, and not before its time', async () => {
    const { service, clock } = sudoMode();
    const proof = await service.issue(WITH_TOTP);
    clock.time = START + 299;
    expect(await service.isValid(proof, WITH_TOTP)).toBe(true);
    clock.time = START + 300;
    expect(await service.isValid(proof, WITH_TOTP)).toBe(false);
    clock.time = START - 1;
    expect(await service.isValid(proof, WITH_TOTP)).toBe(false);
  });

  test('is valid for one account in its state at that time', async () => {
    const { service } = sudoMode();
    const proof = await service.issue(WITH_TOTP);
    expect(await service.isValid(proof, accountOf({ id: '2' }))).toBe(false);
    expect(await service.isValid(proof, accountOf({ epoch: 4 }))).toBe(false);
  });

  test('is valid as long as its secret, including the previous one', async () => {
    const [secret, next] = [randomBytes(32), randomBytes(32)];
    const proof = await sudoMode({ secret }).service.issue(WITH_TOTP);
    expect(await sudoMode({ secret: next, secretPrevious: secret }).service.isValid(proof, WITH_TOTP)).toBe(true);
    expect(await sudoMode({ secret: next }).service.isValid(proof, WITH_TOTP)).toBe(false);
  });

  const secret = randomBytes(32);
  const { id: kid, bytes } = new Keyring({ secret } as Config).signing('sudo');
  const CLAIMS = { epoch: 3, iss: ORIGIN, aud: 'sudo', sub: '1', iat: START, exp: START + 300, jti: 'one' };
  const forged = (claims: object = {}, header: object = {}, key: Uint8Array = bytes) =>
    new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'gatehouse-sudo+jwt', kid, ...header })
      .sign(key);
  const isValid = (proof: string) => sudoMode({ secret }).service.isValid(proof, WITH_TOTP);

  test('a correctly forged one is accepted, so the others are rejected for their contents', async () => {
    expect(await isValid(await forged())).toBe(true);
  });

  test.each<[claims: object, header: object]>([
    [{ iss: 'https://other.example' }, {}],
    [{ iss: undefined }, {}],
    [{ aud: 'other' }, {}],
    [{ aud: undefined }, {}],
    [{ sub: '2' }, {}],
    [{ sub: undefined }, {}],
    [{ epoch: 2 }, {}],
    [{ epoch: undefined }, {}],
    [{ epoch: '3' }, {}],
    [{ jti: undefined }, {}],
    [{ exp: undefined }, {}],
    [{ iat: undefined }, {}],
    [{ exp: START }, {}],
    [{ exp: START + 9999, iat: START - 301 }, {}],
    [{ iat: START + 1 }, {}],
    [{}, { typ: 'JWT' }],
    [{}, { typ: undefined }],
    [{}, { kid: 'other' }],
    [{}, { kid: undefined }],
    [{}, { alg: 'HS512' }],
  ])('claims %j, header %j', async (claims, header) => {
    const key = (header as { alg?: string }).alg === 'HS512' ? Buffer.concat([bytes, bytes]) : bytes;
    expect(await isValid(await forged(claims, header, key))).toBe(false);
  });

  test('a key for another use, with the ID of ours, does not sign one', async () => {
    const other = new Keyring({ secret } as Config).signing('totp').bytes;
    expect(await isValid(await forged({}, {}, other))).toBe(false);
  });

  test('only the canonical compact form is accepted', async () => {
    const proof = await forged();
    const [header = '', payload = '', signature = ''] = proof.split('.');
    const last = signature.at(-1) as string;
    const twin = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameBits = signature.slice(0, -1) + twin[twin.indexOf(last) + 1];
    for (const spelt of [
      ...[`${header}.${payload}.${sameBits}`, `${proof}=`, ` ${proof}`, `${proof}\n`, `x${proof}`, `${proof}A`],
      ...[
        `${header}=.${payload}.${signature}`,
        `${header}..${signature}`,
        `${header}.${payload}`,
        `.${payload}.${signature}`,
      ],
      ...[`${proof}.${signature}`, `${header}.${payload}.`],
    ]) {
      expect({ spelt, isValid: await isValid(spelt) }).toEqual({ spelt, isValid: false });
    }
    const long = await forged({ more: 'x'.repeat(500) });
    expect(await isValid(long)).toBe(true);
    expect(await isValid(await forged({ more: 'x'.repeat(700) }))).toBe(false);
    expect(await isValid(await forged({}, { more: 'x'.repeat(500) }))).toBe(false);
  });

  test('an internal error is not a rejection', async () => {
    const { service, clock } = sudoMode();
    const proof = await service.issue(WITH_TOTP);
    clock.date = () => {
      throw new TypeError('no clock');
    };
    await expect(service.isValid(proof, WITH_TOTP)).rejects.toThrow('no clock');
  });
});
