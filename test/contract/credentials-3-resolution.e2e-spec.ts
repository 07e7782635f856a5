import { IS_ACTIVE_SQL } from '../../src/accounts/account-facts.js';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { digest } from '../../src/core/secrets.js';
import type { Credential } from '../../src/policy/credential.js';
import {
  type CredentialSet,
  type CredentialSetOptions,
  createCredentialSet,
  type Gatehouse,
  gatehouse,
} from '../support/index.js';

let service: Gatehouse;
let resolver: IdentityResolver;
beforeAll(async () => {
  service = await gatehouse();
  resolver = service.app.get(IdentityResolver);
});
afterAll(() => service.close());

type Kind = Exclude<Credential['kind'], 'none' | 'malformed'>;
const KINDS = ['session', 'bot', 'bearer', 'admin-key'] as const satisfies readonly Kind[];

const tokenOf = (kind: Kind, who: CredentialSet): string => {
  const { [kind === 'admin-key' ? 'adminKey' : kind]: value } = who;
  return value.split(' ').pop() as string;
};
const credential = (kind: Kind, token: string) => ({ kind, token }) as Credential;
/** The IP address of all callers. */
const HERE = '127.0.0.1';
const resolve = async (kind: Kind, who: CredentialSet) => resolver.resolve(credential(kind, tokenOf(kind, who)), HERE);
const change = (who: CredentialSet, assignment: string) =>
  service.sql(`UPDATE account SET ${assignment} WHERE id = ANY ($1::bigint[])`, [[who.accountId, who.applicationId]]);
const resolvedKinds = async (who: CredentialSet) => {
  const found = await Promise.all(KINDS.map(async (kind) => ((await resolve(kind, who)) ? kind : null)));
  return found.filter((kind) => kind !== null);
};
const accountOf = async (who: CredentialSet, kind: Kind = 'session') => {
  const identity = await resolve(kind, who);
  if (!identity) throw new Error('it resolves');
  return identity.account;
};

describe('credentials.md 3: from a credential to an identity', () => {
  test('a session', async () => {
    const who = await createCredentialSet(service);
    const [row] = await service.sql('SELECT id FROM session WHERE account_id = $1', [who.accountId]);
    expect(await resolve('session', who)).toEqual({
      via: 'session',
      sessionId: row?.id,
      digest: digest(who.session),
      account: expect.objectContaining({ id: who.accountId, bot: false }),
    });
  });

  test('a bot', async () => {
    const who = await createCredentialSet(service);
    expect(await resolve('bot', who)).toEqual({
      via: 'bot',
      applicationId: who.applicationId,
      tokenId: who.applicationId,
      digest: digest(tokenOf('bot', who).split('.')[1] as string),
      account: expect.objectContaining({ id: who.applicationId, bot: true }),
    });
  });

  test('an access token', async () => {
    const who = await createCredentialSet(service, { scopes: ['identify', 'email'] });
    const [row] = await service.sql('SELECT * FROM oauth_token WHERE account_id = $1 AND application_id = $2', [
      ...[who.accountId, who.applicationId],
    ]);
    expect(await resolve('bearer', who)).toEqual({
      via: 'bearer',
      tokenId: row?.id,
      familyId: row?.family_id,
      applicationId: who.applicationId,
      scopes: ['identify', 'email'],
      expiresAt: row?.expires_at,
      account: expect.objectContaining({ id: who.accountId }),
    });
  });

  test('an Admin key', async () => {
    const who = await createCredentialSet(service, { acls: ['*'], keyAcls: ['user:lookup'] });
    expect(await resolve('admin-key', who)).toEqual({
      via: 'admin-key',
      keyId: tokenOf('admin-key', who).split('_')[1],
      acls: ['user:lookup'],
      account: expect.objectContaining({ id: who.accountId, acls: ['*'] }),
    });
  });

  test.each([
    ['session', `flx_${'A'.repeat(36)}`],
    ['bot', `1.${'A'.repeat(43)}`],
    ['bearer', 'A'.repeat(43)],
    ['admin-key', `fa_1_${'A'.repeat(32)}`],
  ] as const)('an unknown one, %s, resolves to null with one statement', async (kind, token) => {
    const before = { ...resolver.counters };
    expect(await resolver.resolve(credential(kind, token), HERE)).toBeNull();
    expect(resolver.counters).toEqual({ lookups: before.lookups + 1, statements: before.statements + 1 });
  });

  test.each([
    ['session', 'flx_short'],
    ['bot', 'no bot'],
    ['bot', `01.${'A'.repeat(43)}`],
    ['bearer', 'short'],
    ['admin-key', 'fa_1_short'],
    ['admin-key', `fa_9223372036854775808_${'A'.repeat(32)}`],
    ['none', ''],
    ['malformed', ''],
  ])('one without the form of its kind, %s %s, resolves to null without a statement', (kind, token) => {
    const before = { ...resolver.counters };
    expect(resolver.resolve({ kind, token } as Credential, HERE)).toBeNull();
    expect(resolver.counters).toEqual(before);
  });

  test('none is found as another kind', async () => {
    const who = await createCredentialSet(service);
    const secretOfBot = tokenOf('bot', who).split('.')[1] as string;
    expect(await resolver.resolve(credential('bearer', secretOfBot), HERE)).toBeNull();
    expect(
      await resolver.resolve(credential('bot', `${who.applicationId}.${tokenOf('bearer', who)}`), HERE),
    ).toBeNull();
  });

  test('a bot is found only under the ID of its application', async () => {
    const [who, other] = [await createCredentialSet(service), await createCredentialSet(service)];
    const secret = tokenOf('bot', who).split('.')[1];
    expect(await resolver.resolve(credential('bot', `${other.applicationId}.${secret}`), HERE)).toBeNull();
  });

  test('an Admin key is found only under its own ID', async () => {
    const [who, other] = [await createCredentialSet(service), await createCredentialSet(service)];
    const [, , secret] = tokenOf('admin-key', who).split('_');
    const [, id] = tokenOf('admin-key', other).split('_');
    expect(await resolver.resolve(credential('admin-key', `fa_${id}_${secret}`), HERE)).toBeNull();
  });

  test('a credential that is revoked, expired or of another purpose resolves to null', async () => {
    const who = await createCredentialSet(service, { acls: ['*'] });
    expect(await resolvedKinds(who)).toEqual(KINDS);
    await service.sql('UPDATE session SET revoked_at = now() WHERE account_id = $1', [who.accountId]);
    expect(await resolvedKinds(who)).toEqual(['bot', 'bearer', 'admin-key']);
    await service.sql("UPDATE oauth_token SET kind = 'refresh' WHERE account_id = $1", [who.accountId]);
    expect(await resolvedKinds(who)).toEqual(['bot', 'admin-key']);
    await service.sql("UPDATE oauth_token SET kind = 'access', expires_at = now() WHERE account_id = $1", [
      who.accountId,
    ]);
    expect(await resolvedKinds(who)).toEqual(['bot', 'admin-key']);
    await service.sql('UPDATE admin_key SET expires_at = now() WHERE owner_id = $1', [who.accountId]);
    expect(await resolvedKinds(who)).toEqual(['bot']);
    await service.sql("UPDATE application SET bot_digest = '\\x00' WHERE id = $1", [who.applicationId]);
    expect(await resolvedKinds(who)).toEqual([]);
  });

  test('an Admin key that expires later works', async () => {
    const who = await createCredentialSet(service);
    await service.sql("UPDATE admin_key SET expires_at = now() + interval '1 hour' WHERE owner_id = $1", [
      who.accountId,
    ]);
    expect(await resolve('admin-key', who)).not.toBeNull();
  });
});

describe('credentials.md 5.9: credentials of an inactive account', () => {
  const BIT = { deleted: 34, suspicious: 35, 'self-deleted': 36, disabled: 38 };

  test.each<[state: string, assignment: string, kinds: readonly Kind[]]>([
    ['deleted', 'deleted_at = now()', ['session', 'bot', 'bearer']],
    ...Object.entries(BIT).map<[string, string, readonly Kind[]]>(([name, bit]) => [
      ...([`marked as ${name}`, `flags = 1::bigint << ${bit}`] as const),
      ['session', 'bot', 'bearer'],
    ]),
    ['banned', 'banned = true', ['session', 'bearer']],
    ['banned until later', "banned = true, banned_until = now() + interval '1 hour'", ['session', 'bearer']],
    ['banned until now', 'banned = true, banned_until = now()', KINDS],
    ['not banned', "banned = false, banned_until = now() + interval '1 hour'", KINDS],
    ['of the staff', 'flags = 1', KINDS],
    ['marked otherwise', 'flags = (1::bigint << 33) | (1::bigint << 47) | (1::bigint << 62)', KINDS],
  ])('%s', async (_, assignment, kinds) => {
    const who = await createCredentialSet(service);
    await change(who, assignment);
    expect(await resolvedKinds(who)).toEqual(kinds);
    const [row] = await service.sql(`SELECT ${IS_ACTIVE_SQL} AS is_active FROM account a WHERE id = $1`, [
      who.accountId,
    ]);
    expect(row?.is_active).toBe(kinds === KINDS);
  });
});

describe('credentials.md 3: a credential in use', () => {
  const sessionOf = async ({ accountId }: CredentialSet): Promise<string> => {
    const [row] = await service.sql('SELECT id FROM session WHERE account_id = $1', [accountId]);
    return row?.id;
  };

  test('a session is found by its ID, with its present token, until it is revoked', async () => {
    const who = await createCredentialSet(service);
    const id = await sessionOf(who);
    await service.sql('UPDATE session SET digest = $2 WHERE id = $1', [id, digest('another token')]);
    expect(await resolver.resolveSessionById(id)).toEqual({
      via: 'session',
      sessionId: id,
      digest: digest('another token'),
      account: expect.objectContaining({ id: who.accountId }),
    });
    await service.sql('UPDATE session SET revoked_at = now() WHERE id = $1', [id]);
    expect(await resolver.resolveSessionById(id)).toBeNull();
  });

  test('a bot is found by the digest of its secret, until it is reset', async () => {
    const who = await createCredentialSet(service);
    const key = digest(tokenOf('bot', who).split('.')[1] as string);
    expect(await resolver.resolveBotByDigest(who.applicationId, key)).toMatchObject({ via: 'bot', digest: key });
    await service.sql("UPDATE application SET bot_digest = '\\x01' WHERE id = $1", [who.applicationId]);
    expect(await resolver.resolveBotByDigest(who.applicationId, key)).toBeNull();
  });
});

describe('account.md 7: outstanding requirements of an account', () => {
  const suspicionOf = async (options: CredentialSetOptions, assignment: string): Promise<number> => {
    const who = await createCredentialSet(service, options);
    await change(who, assignment);
    return (await accountOf(who)).suspicious;
  };
  const ALL = { suspicious: 0b1111_1111 };
  const EMAIL = (address: string, isVerified: boolean) =>
    `email_verified = ${isVerified}, email = CASE WHEN bot THEN NULL ELSE ${address} END`;
  const OWN = "'a' || id || '@example.com'";

  test.each([
    ['nothing is met by nothing', 'suspicious_flags = 255', 0b1111_1111],
    ['bits beyond the eighth are none', 'suspicious_flags = 256 + 1', 1],
    ['a verified address meets its bits', EMAIL(OWN, true), 0b1010_1110],
    ['one that is not verified meets none', EMAIL(OWN, false), 0b1111_1111],
    ['nor one that bounces', `${EMAIL(OWN, true)}, email_bounced = true`, 0b1111_1111],
    ['nor one that is not there', EMAIL('NULL', true), 0b1111_1111],
    ['a verified number meets its bits', 'has_verified_phone = true', 0b1100_1011],
    ['both meet theirs', `${EMAIL(OWN, true)}, has_verified_phone = true`, 0b1000_1010],
  ])('%s', async (_, assignment, left) => {
    expect(await suspicionOf(ALL, assignment)).toBe(left);
  });
});

describe('credentials.md 3: the account of an identity', () => {
  test('equals the stored one, for a new account', async () => {
    const who = await createCredentialSet(service);
    expect(await accountOf(who)).toEqual({
      id: who.accountId,
      bot: false,
      system: false,
      username: `u${who.accountId}`,
      discriminator: expect.any(Number),
      globalName: null,
      email: null,
      emailVerified: false,
      emailBounced: false,
      hasVerifiedPhone: false,
      hasPassword: false,
      hasTotp: false,
      passkeys: 0,
      passkeySecondFactor: false,
      ownerAuthenticators: null,
      passwordChangedAt: null,
      bio: null,
      pronouns: null,
      accentColor: null,
      avatar: null,
      avatarColor: null,
      banner: null,
      locale: expect.any(String),
      flags: 0n,
      traits: [],
      acls: [],
      suspicious: 0,
      epoch: 0,
      addressEpoch: 0,
      termsAgreedAt: null,
      banned: false,
      bannedUntil: null,
      banReason: null,
      deletedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test('equals the stored one, for an account with every member', async () => {
    const who = await createCredentialSet(service, { acls: ['*'], traits: ['captcha_exempt'], flags: 1n << 62n });
    await service.sql(
      `UPDATE account SET global_name = 'Alice', email = 'all@example.com', password_hash = 'x', totp_secret = '\\x00',
         passkey_second_factor = true, bio = 'bio', pronouns = 'she', accent_color = 1, avatar = 'a', avatar_color = 2,
         banner = 'b', locale = 'de', epoch = 5, address_epoch = 6, banned = true,
         ban_reason = 'spam', banned_until = '2999-01-01T00:00:00Z', deleted_at = '2020-01-01T00:00:00Z',
         password_changed_at = '2021-01-01T00:00:00Z', terms_agreed_at = '2022-01-01T00:00:00Z'
       WHERE id = $1`,
      [who.accountId],
    );
    await service.sql(
      `INSERT INTO passkey (id, account_id, name, public_key, counter, transports, backup_eligible)
       VALUES ('p', $1, 'p', '\\x00', 0, '{}', false)`,
      [who.accountId],
    );
    const authenticators = { hasTotp: true, passkeys: 1, passkeySecondFactor: true };
    expect(await accountOf(who)).toMatchObject({
      ...authenticators,
      globalName: 'Alice',
      email: 'all@example.com',
      hasPassword: true,
      bio: 'bio',
      pronouns: 'she',
      accentColor: 1,
      avatar: 'a',
      avatarColor: 2,
      banner: 'b',
      locale: 'de',
      flags: 1n << 62n,
      traits: ['captcha_exempt'],
      acls: ['*'],
      epoch: 5,
      addressEpoch: 6,
      banned: true,
      bannedUntil: new Date('2999-01-01T00:00:00Z'),
      banReason: 'spam',
      deletedAt: '2020-01-01T00:00:00.000Z',
      passwordChangedAt: '2021-01-01T00:00:00.000Z',
      termsAgreedAt: '2022-01-01T00:00:00.000Z',
    });
    expect((await accountOf(who, 'bot')).ownerAuthenticators).toEqual(authenticators);
  });
});
