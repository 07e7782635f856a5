import { ApiError } from '../../src/core/errors.js';
import { type ArrivalGuard, arrivalGuardsInOrder, BanGuard, LoadGuard } from '../../src/pipeline/arrival-guards.js';
import { CheckGuard } from '../../src/pipeline/check-guard.js';
import type { Guard } from '../../src/pipeline/guard.js';
import {
  AclGuard,
  AdminGuard,
  CaptchaGuard,
  guardsInOrder,
  IdentityGuard,
  InputGuard,
  KindGuard,
  RateGuard,
  ResolutionGuard,
  ScopeGuard,
  SsoGuard,
  SudoGuard,
  SuspicionGuard,
} from '../../src/pipeline/guards.js';
import type { Call } from '../../src/policy/call.js';
import type { Identity } from '../../src/policy/identity.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import type { RoutePolicy } from '../../src/policy/route-policy.js';
import { codeOf, concerned, fake, judged, KINDS, planOf, policyOf, session } from '../machine/policies.js';

describe('credentials.md 4: the order of outcomes', () => {
  test('is the documented one', () => {
    expect(arrivalGuardsInOrder()).toEqual([LoadGuard, BanGuard]);
    expect(guardsInOrder()).toEqual([
      ...[ResolutionGuard, SsoGuard, RateGuard, CaptchaGuard, IdentityGuard, KindGuard, ScopeGuard, AdminGuard],
      ...[AclGuard, SuspicionGuard, InputGuard, CheckGuard, SudoGuard],
    ]);
  });

  test('every guard declares its error codes', () => {
    const guard = (type: new (...parts: never[]) => object) => Reflect.construct(type, [{}, {}]) as Guard;
    const said = [...arrivalGuardsInOrder(), ...guardsInOrder()].map((type) =>
      guard(type).possibleErrors(policyOf('UserOnly')),
    );
    expect(said).toEqual([
      ['SERVICE_UNAVAILABLE'],
      ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED'],
      [],
      ['SSO_REQUIRED'],
      ['RATE_LIMITED'],
      ['CAPTCHA_REQUIRED', 'INVALID_CAPTCHA'],
      ['UNAUTHORIZED'],
      ['ACCESS_DENIED'],
      ['MISSING_OAUTH_SCOPE'],
      ['MISSING_PERMISSIONS'],
      ['MISSING_ACL'],
      ['ACCOUNT_SUSPICIOUS_ACTIVITY'],
      ['INVALID_FORM_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      [],
      ['UNAUTHORIZED', 'INVALID_FORM_BODY', 'SUDO_MODE_REQUIRED'],
    ]);
  });
});

describe('rows 1 and 2: arrival', () => {
  test('load and bans are checked, by IP address', () => {
    const requested: unknown[] = [];
    const guards: ArrivalGuard[] = [
      new LoadGuard(fake({ assertCapacity: () => requested.push('room') })),
      new BanGuard(fake({ assertNotBanned: (address: string) => requested.push(address) })),
    ];
    for (const guard of guards) guard.arrive({ address: '192.0.2.1' } as Call);
    expect(requested).toEqual(['room', '192.0.2.1']);
  });
});

describe('row 3: resolution', () => {
  const LINE = `Bearer ${'A'.repeat(43)}`;
  const row = (identity: Promise<Identity | null> | null) => {
    const requested: unknown[] = [];
    const touched: unknown[] = [];
    const guard = new ResolutionGuard(
      fake({
        resolve(credential: unknown) {
          requested.push(credential);
          return identity;
        },
      }),
      fake({ touch: (...values: unknown[]) => touched.push(values) }),
    );
    return { asked: requested, touched, guard };
  };

  test('applies to every route that may read a credential', () => {
    expect(concerned(row(null).guard)).toEqual(
      KINDS.filter((kind) => !['CredentialFree', 'ClientAuth'].includes(kind)),
    );
  });

  test('attaches the identity, and records its use', async () => {
    const me = session();
    const { guard, asked: requested, touched } = row(Promise.resolve(me));
    const call = { authorization: [LINE], identity: null, address: '192.0.2.1' } as unknown as Call;
    await guard.check(call, planOf('UserOnly'));
    expect(requested).toEqual([{ kind: 'bearer', token: 'A'.repeat(43) }]);
    expect(call.credential).toEqual(requested[0]);
    expect(call.identity).toBe(me);
    expect(touched).toEqual([[me, '192.0.2.1']]);
  });

  test('attaches null, and records nothing', async () => {
    const { guard, touched } = row(Promise.resolve(null));
    const call = { authorization: [LINE], identity: null } as unknown as Call;
    await guard.check(call, planOf('UserOnly'));
    expect(call.identity).toBeNull();
    expect(touched).toEqual([]);
    expect(row(null).guard.check(call, planOf('UserOnly'))).toBeUndefined();
  });

  test.each<[title: string, line: string, plan: RoutePlan, kind: string]>([
    ['an Admin key on a route of admins', `Admin fa_1_${'A'.repeat(32)}`, planOf('AdminAcl'), 'admin-key'],
    ['and elsewhere', `Admin fa_1_${'A'.repeat(32)}`, planOf('UserOnly'), 'malformed'],
    ['bot in small letters', `bot 1.${'A'.repeat(43)}`, planOf('BotOnly'), 'malformed'],
    [
      'and where the route says so',
      `bot 1.${'A'.repeat(43)}`,
      planOf('BotOnly', { caseInsensitiveScheme: true }),
      'bot',
    ],
  ])('the rules of the route decide whether a header is a credential: %s', async (_, line, plan, kind) => {
    const { guard, asked: requested } = row(null);
    await guard.check({ authorization: [line] } as unknown as Call, plan);
    expect(requested).toEqual([expect.objectContaining({ kind })]);
  });
});

describe('row 4: single sign-on', () => {
  const enforced = new SsoGuard(fake({ isSsoEnforced: true }));
  const not = new SsoGuard(fake({ isSsoEnforced: false }));

  test('applies to the routes that it blocks', () => {
    expect(concerned(enforced)).toEqual([]);
    expect(concerned(enforced, { blockedBySso: true })).toEqual(KINDS);
  });

  test('rejects while it is enforced, or assumed to be', async () => {
    expect(await judged(enforced, {}, planOf('Public'))).toBe('SSO_REQUIRED');
    expect(await judged(not, {}, planOf('Public'))).toBeNull();
    expect(enforced.dryRun({ identity: null, authorization: [], isSsoEnforced: false })).toBe(true);
    expect(await codeOf(() => not.dryRun({ identity: null, authorization: [], isSsoEnforced: true }))).toBe(
      'SSO_REQUIRED',
    );
  });
});

describe('rows 5 and 6: limits and captchas', () => {
  test('limits are checked if they are on', async () => {
    const requested: unknown[] = [];
    const on = new RateGuard(
      fake({ enabled: true, assertWithinLimits: async (...values: unknown[]) => void requested.push(values) }),
    );
    expect(concerned(on)).toEqual(KINDS);
    expect(concerned(new RateGuard(fake({ enabled: false })))).toEqual([]);
    const [call, plan] = [{} as Call, planOf('Public')];
    await on.check(call, plan);
    expect(requested).toEqual([[call, plan]]);
  });

  test('captchas are checked if the route requires one', async () => {
    const requested: unknown[] = [];
    const guard = new CaptchaGuard(fake({ demand: async (call: Call) => void requested.push(call) }));
    expect(concerned(guard)).toEqual([]);
    expect(concerned(guard, { captcha: true })).toEqual(KINDS);
    const call = {} as Call;
    await guard.check(call);
    expect(requested).toEqual([call]);
  });
});

describe('row 14: sudo', () => {
  const me = session();
  const ask = async (sudo: RoutePolicy['sudo'], proof: string | null = 'a proof', identity: Identity | null = me) => {
    const demanded: unknown[] = [];
    const headers: unknown[] = [];
    const demand = async (who: Identity) => {
      demanded.push(who);
      return proof;
    };
    const guard = new SudoGuard(fake({ demand }));
    const call = {
      identity,
      input: { body: { email: 'new' } },
      res: { setHeader: (...header: unknown[]) => headers.push(header) },
    } as unknown as Call;
    const code = await codeOf(() => guard.check(call, planOf('UserOnly', sudo ? { sudo } : {})));
    return { code, demanded, headers, kept: call.proofOnError };
  };
  const SHOWN = [['X-Service-Sudo-Mode-JWT', 'a proof']];
  const passed = { code: null, demanded: [me], headers: [], kept: undefined };

  test('applies to routes that require it', () => {
    const guard = new SudoGuard(fake({}));
    expect(concerned(guard)).toEqual([]);
    expect(concerned(guard, { sudo: {} })).toEqual(KINDS);
  });

  test('without an identity, or on a route without sudo options, it rejects', async () => {
    const refused = { code: 'UNAUTHORIZED', demanded: [], headers: [], kept: undefined };
    expect(await ask({}, 'a proof', null)).toEqual(refused);
    expect(await ask(undefined)).toEqual(refused);
  });

  test('the proof is returned if there is one and the route allows it', async () => {
    expect(await ask({})).toEqual({ ...passed, headers: SHOWN });
    expect(await ask({ issuesProof: true })).toEqual({ ...passed, headers: SHOWN });
    expect(await ask({ issuesProof: false })).toEqual(passed);
    expect(await ask({}, null)).toEqual(passed);
    expect(await ask({ voidsProofs: true }, null)).toEqual(passed);
  });

  test('a proof that the operation revokes is kept for an error', async () => {
    expect(await ask({ voidsProofs: true })).toEqual({ ...passed, kept: 'a proof' });
    expect(await ask({ voidsProofs: false })).toEqual({ ...passed, headers: SHOWN });
    expect(await ask({ voidsProofs: true, issuesProof: false })).toEqual(passed);
  });

  test('body and caller can decide that it revokes proofs', async () => {
    const requested: unknown[] = [];
    const says = (response: boolean) => (body: unknown, caller: unknown) => {
      requested.push(body, caller);
      return response;
    };
    expect(await ask({ voidsProofs: says(true) })).toEqual({ ...passed, kept: 'a proof' });
    expect(await ask({ voidsProofs: says(false) })).toEqual({ ...passed, headers: SHOWN });
    expect(requested).toEqual([{ email: 'new' }, me, { email: 'new' }, me]);
  });

  test('body and caller can decide that sudo is not required', async () => {
    const requested: unknown[] = [];
    const says = (response: boolean) => (body: unknown, caller: unknown) => {
      requested.push(body, caller);
      return response;
    };
    expect(await ask({ when: says(false) })).toEqual({ ...passed, demanded: [] });
    expect(await ask({ when: says(true) })).toEqual({ ...passed, headers: SHOWN });
    expect(requested).toEqual([{ email: 'new' }, me, { email: 'new' }, me]);
  });

  test('an error from stored state comes before a factor is consumed', async () => {
    const first = () => {
      throw new ApiError('ACCESS_DENIED');
    };
    expect(await ask({ first })).toEqual({ ...passed, code: 'ACCESS_DENIED', demanded: [] });
    expect(await ask({ first, when: () => false })).toEqual({ ...passed, demanded: [] });
  });
});
