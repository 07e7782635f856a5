import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/internal';
import type { Call } from '../../src/policy/call.js';
import {
  Accepts,
  AdminAcl,
  AllowSuspicious,
  Authenticated,
  BearerOnly,
  BlockedBySso,
  BotOnly,
  Captcha,
  CaseInsensitiveScheme,
  Check,
  ClientAuth,
  Cors,
  CredentialFree,
  CurrentCall,
  CurrentIdentity,
  callIn,
  createCallDecorator,
  findCallReader,
  OAuthScope,
  Public,
  RateLimit,
  ReadOnly,
  RequiresSudo,
  readPolicy,
  SecretPath,
  UserOnly,
} from '../../src/policy/decorators.js';
import type { PolicyKind, RoutePolicy } from '../../src/policy/route-policy.js';
import { bot, session } from '../machine/policies.js';

/** Returns a handler with these decorators. The first one is the topmost. */
function handlerWith(...decorators: MethodDecorator[]): object {
  const handler = () => {};
  for (const decorate of decorators.toReversed()) decorate({}, 'handler', { value: handler as never });
  return handler;
}
/** A check of an extension. */
class Role {
  readonly errors = [];
  readonly input = [];
  check(_call: object, _role: 'viewer' | 'editor'): void {}
}

/** The policy of a handler in a class with these decorators. */
function inClass(ofClass: ClassDecorator[], ...ofHandler: MethodDecorator[]) {
  class Controller {}
  for (const decorate of ofClass.toReversed()) decorate(Controller);
  return readPolicy(handlerWith(...ofHandler), Controller);
}

const declared = (...decorators: MethodDecorator[]) => readPolicy(handlerWith(...decorators));

const POLICIES: Record<PolicyKind, () => MethodDecorator> = {
  Public,
  CredentialFree,
  Authenticated,
  UserOnly,
  BotOnly,
  BearerOnly,
  AdminAcl: () => AdminAcl('user:lookup'),
  ClientAuth,
};
const MODIFIERS: Record<string, () => MethodDecorator> = {
  OAuthScope: () => OAuthScope('identify'),
  BlockedBySso,
  AllowSuspicious,
  Check: () => Check(Role, 'editor'),
  RequiresSudo,
  RateLimit: () => RateLimit('auth:login'),
  ReadOnly,
  Captcha,
  CaseInsensitiveScheme,
  SecretPath,
  Cors: () => Cors('any'),
  Accepts: () => Accepts('form'),
};
const OF_ACCOUNTS = ['OAuthScope', 'BlockedBySso', 'AllowSuspicious', 'Check', 'RequiresSudo', 'RateLimit', 'Captcha'];
const REFINED_BY: Record<PolicyKind, string[]> = {
  Public: ['BlockedBySso', 'RateLimit', 'Captcha', 'SecretPath', 'Cors', 'Accepts'],
  CredentialFree: ['RateLimit', 'CaseInsensitiveScheme', 'SecretPath', 'Cors', 'Accepts'],
  Authenticated: [...OF_ACCOUNTS, 'Cors', 'Accepts'],
  UserOnly: [...OF_ACCOUNTS, 'Cors', 'Accepts'],
  BotOnly: ['AllowSuspicious', 'Check', 'RateLimit', 'CaseInsensitiveScheme', 'Cors', 'Accepts'],
  BearerOnly: ['OAuthScope', 'AllowSuspicious', 'Check', 'RateLimit', 'Cors', 'Accepts'],
  AdminAcl: ['RateLimit', 'ReadOnly', 'Accepts'],
  ClientAuth: ['RateLimit', 'Cors', 'Accepts'],
};

const bare = (kind: PolicyKind, more: Partial<RoutePolicy> = {}): RoutePolicy => ({
  kind,
  blockedBySso: false,
  allowSuspicious: false,
  captcha: false,
  caseInsensitiveScheme: false,
  confidentialClient: false,
  cors: 'default',
  ...more,
});

describe('credentials.md 3: a policy', () => {
  test.each(Object.keys(POLICIES) as PolicyKind[])('@%s alone allows nothing further', (kind) => {
    const acl = kind === 'AdminAcl' ? { acl: { mode: 'all' as const, acls: ['user:lookup'] } } : {};
    expect(declared(POLICIES[kind]())).toEqual(bare(kind, acl));
  });

  test.each(Object.keys(POLICIES) as PolicyKind[])(
    '@%s accepts these modifiers, and contradicts the others',
    (kind) => {
      const refining = Object.entries(MODIFIERS).filter(([name, modifier]) => {
        const policy = declared(modifier(), POLICIES[kind]());
        if (Array.isArray(policy))
          expect(policy).toEqual([`declares @${name}, which @${kind} does not allow. Remove one of them`]);
        else expect(policy.kind).toBe(kind);
        return !Array.isArray(policy);
      });
      expect(refining.map(([name]) => name)).toEqual(REFINED_BY[kind]);
    },
  );

  test('names the ACLs of an Admin operation: all of them, or any one', () => {
    expect(declared(AdminAcl('user:lookup', 'user:delete'))).toEqual(
      bare('AdminAcl', { acl: { mode: 'all', acls: ['user:lookup', 'user:delete'] } }),
    );
    expect(declared(AdminAcl({ anyOf: ['user:lookup', 'user:delete'] }))).toEqual(
      bare('AdminAcl', { acl: { mode: 'any', acls: ['user:lookup', 'user:delete'] } }),
    );
  });

  test('accepts public clients by default', () => {
    expect(declared(ClientAuth({ confidential: true }))).toEqual(bare('ClientAuth', { confidentialClient: true }));
    expect(declared(ClientAuth({ confidential: false }))).toEqual(bare('ClientAuth'));
  });

  test.each<[modifier: MethodDecorator, more: Partial<RoutePolicy>]>([
    [OAuthScope('email'), { scope: 'email' }],
    [BlockedBySso(), { blockedBySso: true }],
    [AllowSuspicious(), { allowSuspicious: true }],
    [RequiresSudo(), { sudo: {} }],
    [RequiresSudo({ issuesProof: false }), { sudo: { issuesProof: false } }],
    [Captcha(), { captcha: true }],
    [RateLimit('auth:login'), { bucket: { name: 'auth:login' } }],
    [
      RateLimit('webhook:read', { per: 'id', misses: 'webhook:miss' }),
      { bucket: { name: 'webhook:read', per: 'id', misses: 'webhook:miss' } },
    ],
    [Cors('upload'), { cors: 'upload' }],
    [Cors('none'), { cors: 'none' }],
    [Accepts('raw'), { accepts: { kind: 'raw' } }],
    [Accepts('json', { limit: 7 }), { accepts: { kind: 'json', limit: 7 } }],
  ])('is refined only by its modifiers: %#', (modifier, more) => {
    expect(declared(modifier, UserOnly())).toEqual(bare('UserOnly', more));
    expect(declared(UserOnly(), modifier)).toEqual(bare('UserOnly', more));
  });

  test('is refined by modifiers of one kind of operation', () => {
    expect(declared(BotOnly(), CaseInsensitiveScheme())).toEqual(bare('BotOnly', { caseInsensitiveScheme: true }));
    expect(declared(ReadOnly(), AdminAcl('audit_log:view'))).toEqual(
      bare('AdminAcl', { acl: { mode: 'all', acls: ['audit_log:view'] }, changesNothing: true }),
    );
  });

  test('combines all its decorators, and is immutable', () => {
    const policy = declared(RateLimit('auth:login'), UserOnly(), BlockedBySso(), OAuthScope('email'));
    expect(policy).toEqual(bare('UserOnly', { bucket: { name: 'auth:login' }, blockedBySso: true, scope: 'email' }));
    expect(Object.isFrozen(policy)).toBe(true);
  });
});

describe('the policy of a class', () => {
  const viewer = { type: Role, options: ['viewer'] };

  test('is the default of its handlers', () => {
    expect(inClass([UserOnly(), Check(Role, 'viewer')])).toEqual(bare('UserOnly', { checks: [viewer] }));
    expect(inClass([AdminAcl('user:lookup')])).toEqual(
      bare('AdminAcl', { acl: { mode: 'all', acls: ['user:lookup'] } }),
    );
  });

  test('is replaced by that of a handler, and its modifiers still apply', () => {
    const sudo = { sudo: {}, checks: [viewer] };
    expect(inClass([UserOnly(), RequiresSudo(), Check(Role, 'viewer')], Authenticated())).toEqual(
      bare('Authenticated', sudo),
    );
    expect(inClass([UserOnly(), Check(Role, 'viewer')], Check(Role, 'editor'))).toEqual(
      bare('UserOnly', { checks: [{ type: Role, options: ['editor'] }] }),
    );
    class Other extends Role {}
    expect(inClass([UserOnly(), Check(Role, 'viewer')], Check(Other, 'editor'))).toEqual(
      bare('UserOnly', { checks: [viewer, { type: Other, options: ['editor'] }] }),
    );
  });

  test('contradicts a handler that does not allow its modifier', () => {
    expect(inClass([UserOnly(), RequiresSudo()], Public())).toEqual([
      'declares @RequiresSudo, which @Public does not allow. Remove one of them',
    ]);
  });

  test('is inherited, and a derived class replaces it', () => {
    @UserOnly()
    @Check(Role, 'viewer')
    class Base {}
    @Authenticated()
    class Derived extends Base {}
    expect(readPolicy(handlerWith(), Derived)).toEqual(bare('Authenticated', { checks: [viewer] }));
  });

  test('cannot admit more callers', () => {
    for (const decorator of [Public, CredentialFree, AllowSuspicious, SecretPath, () => Cors('any')]) {
      class Open {}
      expect(() => (decorator() as unknown as ClassDecorator)(Open)).toThrow(
        /^Open has @\w+\(\) on the class\. Move it to each of its handlers$/,
      );
    }
  });
});

describe('credentials.md 3: a route with an invalid declaration', () => {
  test('has no policy', () => {
    expect(declared()).toEqual(['declares no policy. Add one to the method, such as @UserOnly()']);
    expect(declared(RateLimit('auth:login'), Captcha())).toEqual([
      'declares no policy. Add one to the method, such as @UserOnly()',
    ]);
  });

  test('has several, whichever they are', () => {
    expect(declared(UserOnly(), Captcha(), Public())).toEqual(['has 2 base policies: @UserOnly, @Public. Keep one']);
    expect(declared(Public(), Public(), BotOnly())).toEqual([
      'has 3 base policies: @Public, @Public, @BotOnly. Keep one',
    ]);
  });

  test('repeats a modifier', () => {
    expect(declared(AllowSuspicious(), UserOnly(), AllowSuspicious())).toEqual(['repeats @AllowSuspicious. Keep one']);
    expect(declared(RateLimit('auth:login'), RateLimit('auth:logout'), UserOnly())).toEqual([
      'repeats @RateLimit. Keep one',
    ]);
  });

  test('repeats a check', () => {
    expect(declared(Check(Role, 'viewer'), UserOnly(), Check(Role, 'editor'))).toEqual([
      'repeats @Check(Role). Keep one',
    ]);
  });

  test('names no ACL', () => {
    const nothing = [] as unknown as ['*'];
    expect(declared(AdminAcl(...nothing))).toEqual([
      "declares @AdminAcl without an ACL. Name at least one, such as @AdminAcl('user:lookup')",
    ]);
    expect(declared(AdminAcl({ anyOf: nothing }))).toEqual([
      "declares @AdminAcl without an ACL. Name at least one, such as @AdminAcl('user:lookup')",
    ]);
  });

  test('reports all its errors', () => {
    expect(declared(Captcha(), Captcha(), Cors('any'), AdminAcl(...([] as unknown as ['*'])))).toEqual([
      'declares @Captcha, which @AdminAcl does not allow. Remove one of them',
      'repeats @Captcha. Keep one',
      'declares @Captcha, which @AdminAcl does not allow. Remove one of them',
      'declares @Cors, which @AdminAcl does not allow. Remove one of them',
      "declares @AdminAcl without an ACL. Name at least one, such as @AdminAcl('user:lookup')",
    ]);
  });
});

const callBy = (identity: Call['identity']) => ({ identity }) as Call;
const ofHttp = (request: object) =>
  ({ getType: () => 'http', switchToHttp: () => ({ getRequest: () => request }) }) as unknown as ExecutionContext;
const ofGateway = (...given: unknown[]) =>
  ({ getType: () => 'ws', getArgByIndex: (index: number) => given[index] }) as unknown as ExecutionContext;

describe('credentials.md 5: the arguments of a handler', () => {
  const Answer = createCallDecorator(({ address }) => `to ${address}`);
  class Handlers {
    handle(@CurrentIdentity() _me: unknown, @CurrentCall() _call: unknown, @Answer() _answer: unknown) {}
  }
  type Factory = (data: unknown, context: ExecutionContext) => unknown;
  const bound: Record<string, { index: number; factory: Factory }> = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    Handlers,
    'handle',
  );
  const [me, theCall, response] = Object.values(bound)
    .toSorted((a, b) => a.index - b.index)
    .map(({ factory }) => factory) as [Factory, Factory, Factory];
  const call = Object.assign(callBy(session()), { address: '192.0.2.1' });

  test.each([
    ['one framework', { call }],
    ['the other', { raw: { call } }],
  ])('are read from the call of the request, for %s', (_name, request) => {
    const context = ofHttp(request);
    expect(callIn(context)).toBe(call);
    expect(me(undefined, context)).toBe(call.identity);
    expect(theCall(undefined, context)).toBe(call);
    expect(response(undefined, context)).toBe('to 192.0.2.1');
  });

  test('are equal without a framework', () => {
    expect(findCallReader(me)?.(call)).toBe(call.identity);
    expect(findCallReader(theCall)?.(call)).toBe(call);
    expect(findCallReader(response)?.(call)).toBe('to 192.0.2.1');
    expect(findCallReader(() => call.identity)).toBeUndefined();
  });

  test('are null if no credential was resolved', () => {
    expect(me(undefined, ofHttp({ call: callBy(null) }))).toBeNull();
    expect(findCallReader(me)?.(callBy(null))).toBeNull();
  });

  test('are the sender of a gateway command, after the connection and the payload', () => {
    const context = ofGateway(callBy(session()), callBy(session()), callBy(bot()), callBy(session()));
    expect(me(undefined, context)).toEqual(bot());
  });

  test('are an error in a request that did not pass the entry point', () => {
    expect(() => me(undefined, ofHttp({}))).toThrow('The request did not pass the front door');
    expect(() => theCall(undefined, ofHttp({ raw: {} }))).toThrow('The request did not pass the front door');
  });
});
