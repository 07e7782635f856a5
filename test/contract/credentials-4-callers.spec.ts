import { featureRegistry } from '../../src/features.js';
import { ClientLimits } from '../../src/pipeline/client-limits.service.js';
import {
  AclGuard,
  AdminGuard,
  IdentityGuard,
  InputGuard,
  KindGuard,
  ScopeGuard,
  SuspicionGuard,
} from '../../src/pipeline/guards.js';
import type { Call } from '../../src/policy/call.js';
import type { Identity } from '../../src/policy/identity.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import type { PolicyKind, RoutePolicy } from '../../src/policy/route-policy.js';
import {
  adminApplication,
  adminBearer,
  bearer,
  bot,
  concerned,
  fake,
  judged,
  KINDS,
  key,
  OF_ACCOUNTS,
  planOf,
  policyOf,
  refusalOf,
  session,
} from '../machine/policies.js';

describe('row 7: callers without an identity', () => {
  const clients: unknown[] = [];
  const guard = new IdentityGuard(
    new ClientLimits(fake({ authenticate: (...values: unknown[]) => void clients.push(values) }), fake({})),
    fake(adminApplication),
  );
  const judge = (kind: PolicyKind, identity: Identity | null, more?: Partial<RoutePolicy>, authorization = ['Bot x']) =>
    judged(guard, { identity, authorization }, planOf(kind, more));

  test('applies to every route that is not public', () => {
    expect(concerned(guard)).toEqual([...OF_ACCOUNTS, 'AdminAcl', 'ClientAuth']);
  });

  test('lists its error codes by route', () => {
    expect(guard.possibleErrors(policyOf('ClientAuth'))).toEqual([
      ...['INVALID_CLIENT', 'INVALID_REQUEST', 'INVALID_FORM_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    ]);
    expect(guard.possibleErrors(policyOf('BotOnly', { caseInsensitiveScheme: true }))).toEqual([
      'INVALID_TOKEN',
      'UNAUTHORIZED',
    ]);
    expect(guard.possibleErrors(policyOf('BotOnly'))).toEqual(['UNAUTHORIZED']);
    expect(guard.possibleErrors(policyOf('UserOnly', { caseInsensitiveScheme: true }))).toEqual(['UNAUTHORIZED']);
  });

  test.each([...OF_ACCOUNTS, 'AdminAcl'] as const)('%s: a caller without an identity is rejected', async (kind) => {
    expect(await judge(kind, null)).toBe('UNAUTHORIZED');
  });

  test.each<[kind: PolicyKind, identity: Identity, code: string | null]>([
    ...OF_ACCOUNTS.filter((kind) => kind !== 'BearerOnly').flatMap((kind) =>
      [session(), bot(), bearer(), key()].map((one) => [kind, one, null] as [PolicyKind, Identity, null]),
    ),
    ['BearerOnly', session(), 'UNAUTHORIZED'],
    ['BearerOnly', bot(), 'UNAUTHORIZED'],
    ['BearerOnly', key(), 'UNAUTHORIZED'],
    ['BearerOnly', bearer(), null],
    ['AdminAcl', session(), null],
    ['AdminAcl', session({ banned: true }), null],
    ['AdminAcl', bot(), 'UNAUTHORIZED'],
    ['AdminAcl', key([], { banned: true }), null],
    ['AdminAcl', bearer([], '4', { banned: true }), null],
    ['AdminAcl', adminBearer(), null],
    ['AdminAcl', adminBearer({ banned: true }), 'UNAUTHORIZED'],
    ['AdminAcl', adminBearer({ deletedAt: 'then' }), 'UNAUTHORIZED'],
    ['AdminAcl', adminBearer({ flags: 1n << 38n }), 'UNAUTHORIZED'],
    ['UserOnly', adminBearer({ banned: true }), null],
  ])('%s: %j results in %s', async (kind, identity, code) => {
    expect(await judge(kind, identity)).toBe(code);
  });

  test('a bot route requires its prefix first, in any case', async () => {
    const anyCase = { caseInsensitiveScheme: true };
    expect(await judge('BotOnly', bot(), anyCase, ['bOt x'])).toBeNull();
    expect(await judge('BotOnly', bot(), anyCase, ['Bearer x'])).toBe('INVALID_TOKEN');
    expect(await judge('BotOnly', null, anyCase, ['Bearer x'])).toBe('INVALID_TOKEN');
    expect(await judge('BotOnly', null, anyCase, ['bot x'])).toBe('UNAUTHORIZED');
    expect(await judge('BotOnly', bot(), {}, ['Bearer x'])).toBeNull();
    expect(await judge('UserOnly', session(), anyCase, ['flx_x'])).toBeNull();
  });

  test('an application authenticates itself, and this is not predicted', async () => {
    const call = { identity: null, authorization: [] } as unknown as Call;
    await guard.check(call, planOf('ClientAuth', { confidentialClient: true }));
    await guard.check(call, planOf('ClientAuth'));
    expect(clients).toEqual([
      [call, true],
      [call, false],
    ]);
    expect(guard.dryRun(call, policyOf('ClientAuth'))).toBe(false);
  });
});

describe('row 8: which kind of credential', () => {
  const guard = new KindGuard(fake(adminApplication));
  const IDENTITIES = {
    nobody: null,
    session: session(),
    'session of a bot': session({ bot: true }),
    bot: bot(),
    bearer: bearer(),
    'bearer of the Admin application': adminBearer(),
    key: key(),
  };
  const admitted = async (kind: PolicyKind, more?: Partial<RoutePolicy>) => {
    const names: string[] = [];
    for (const [name, identity] of Object.entries(IDENTITIES)) {
      const code = await judged(guard, { identity }, planOf(kind, more));
      if (code === null) names.push(name);
      else expect(code).toBe('ACCESS_DENIED');
    }
    return names;
  };
  const BEARERS = ['bearer', 'bearer of the Admin application'];

  test('applies to these routes', () => {
    expect(concerned(guard)).toEqual(['Authenticated', 'UserOnly', 'BotOnly', 'AdminAcl']);
  });

  test('accepts only these kinds', async () => {
    expect(await admitted('Authenticated')).toEqual(['session', 'bot']);
    expect(await admitted('UserOnly')).toEqual(['session']);
    expect(await admitted('BotOnly')).toEqual(['bot']);
    expect(await admitted('AdminAcl')).toEqual([
      ...['session', 'session of a bot', 'bearer of the Admin application', 'key'],
    ]);
  });

  test('accepts bearers if the route names a scope, except on bot and Admin routes', async () => {
    expect(await admitted('Authenticated', { scope: 'identify' })).toEqual(['session', 'bot', ...BEARERS]);
    expect(await admitted('UserOnly', { scope: 'identify' })).toEqual(['session', ...BEARERS]);
    expect(await admitted('BotOnly', { scope: 'identify' })).toEqual(['bot']);
    expect(await admitted('AdminAcl', { scope: 'identify' })).toEqual(await admitted('AdminAcl'));
  });
});

describe('row 9: scopes', () => {
  const guard = new ScopeGuard();

  test('applies to routes that name one', () => {
    expect(concerned(guard)).toEqual([]);
    expect(concerned(guard, { scope: 'email' })).toEqual(KINDS);
  });

  test('a bearer must have it; other credentials have no scopes', async () => {
    const plan = planOf('UserOnly', { scope: 'email' });
    expect(await judged(guard, { identity: bearer(['identify', 'email']) }, plan)).toBeNull();
    expect(await judged(guard, { identity: bearer(['identify']) }, plan)).toBe('MISSING_OAUTH_SCOPE');
    for (const identity of [session(), bot(), key(), null]) {
      expect(await judged(guard, { identity }, plan)).toBeNull();
    }
    expect(await judged(guard, { identity: bearer() }, planOf('UserOnly'))).toBeNull();
    const apiError = await refusalOf(() => guard.dryRun({ identity: bearer(), authorization: [] }, plan.policy));
    expect(apiError).toMatchObject({ code: 'MISSING_OAUTH_SCOPE', extra: { required_scope: 'email' } });
  });
});

describe('rows 10 and 11: administration', () => {
  const noted: string[] = [];
  const admin = new AdminGuard(fake({ note: (id: string) => void noted.push(id) }));
  const acl = new AclGuard();
  const MAY = { acls: ['admin:authenticate'] };

  test('apply to Admin routes', () => {
    expect(concerned(admin)).toEqual(['AdminAcl']);
    expect(concerned(acl)).toEqual(['AdminAcl']);
  });

  test('a caller without admin:authenticate is rejected, with any other ACLs', async () => {
    const plan = planOf('AdminAcl');
    for (const identity of [null, session(), session({ acls: ['user:lookup'] }), key(['*'])]) {
      expect(await judged(admin, { identity }, plan)).toBe('MISSING_PERMISSIONS');
    }
    expect(noted).toEqual([]);
    for (const identity of [session(MAY), session({ acls: ['*'] }), adminBearer(MAY)]) {
      expect(await judged(admin, { identity }, plan)).toBeNull();
    }
    expect(noted).toEqual([]);
  });

  test('the use of a key is recorded after it is accepted', async () => {
    expect(await judged(admin, { identity: key([], MAY) }, planOf('AdminAcl'))).toBeNull();
    expect(noted.splice(0)).toEqual(['5']);
  });

  test('the account must have the ACL, and the key also', async () => {
    const plan = planOf('AdminAcl', { acl: { mode: 'all', acls: ['user:lookup', 'user:delete'] } });
    const BOTH = ['user:lookup', 'user:delete'];
    const judge = (identity: Identity | null) => judged(acl, { identity }, plan);
    expect(await judge(session({ acls: BOTH }))).toBeNull();
    expect(await judge(session({ acls: ['user:lookup'] }))).toBe('MISSING_ACL');
    expect(await judge(key(BOTH, { acls: BOTH }))).toBeNull();
    expect(await judge(key(BOTH, { acls: ['user:lookup'] }))).toBe('MISSING_ACL');
    expect(await judge(key(['user:lookup'], { acls: BOTH }))).toBe('MISSING_ACL');
    expect(await judge(null)).toBe('MISSING_ACL');
    expect(await judged(acl, { identity: session({ acls: ['*'] }) }, planOf('AdminAcl'))).toBe('MISSING_ACL');
  });
});

describe('row 12: suspicion', () => {
  const guard = new SuspicionGuard();

  test('applies to account routes that do not allow suspicious accounts', () => {
    expect(concerned(guard)).toEqual(OF_ACCOUNTS);
    expect(concerned(guard, { allowSuspicious: true })).toEqual([]);
  });

  test('a caller with outstanding requirements gets an error that lists them', async () => {
    const plan = planOf('UserOnly');
    expect(await judged(guard, { identity: session() }, plan)).toBeNull();
    expect(await judged(guard, { identity: null }, plan)).toBeNull();
    expect(await judged(guard, { identity: session({ suspicious: 5 }) }, plan)).toBe('ACCOUNT_SUSPICIOUS_ACTIVITY');
    const apiError = await refusalOf(() => guard.dryRun({ identity: session({ suspicious: 5 }) }));
    expect(apiError?.extra).toMatchObject({ data: { suspicious_activity_flags: 5 } });
  });
});

describe('row 13: input', () => {
  const guard = new InputGuard(featureRegistry());

  test('applies to every route', () => {
    expect(concerned(guard)).toEqual(KINDS);
  });

  test('reads it', async () => {
    const call = { req: { headers: {} } } as unknown as Call;
    await guard.check(call, { accepts: { kind: 'none' } } as RoutePlan);
    expect(call.input).toEqual({});
  });
});
