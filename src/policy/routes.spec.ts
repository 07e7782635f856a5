import type { RoutePlan } from './plan.js';
import { describePolicy, type PolicyKind, type RoutePolicy } from './route-policy.js';
import { Routes } from './routes.js';

const policyOf = (kind: PolicyKind, more: Partial<RoutePolicy> = {}): RoutePolicy => ({
  kind,
  blockedBySso: false,
  allowSuspicious: false,
  captcha: false,
  caseInsensitiveScheme: false,
  confidentialClient: false,
  cors: 'default',
  ...more,
});

/** A list of routes with these methods and templates. */
function routesOf(...lines: string[]): Routes {
  const routes = new Routes();
  routes.fill(
    lines.map((line) => {
      const [method, path] = line.split(' ');
      return { method, path, policy: policyOf('Public') } as RoutePlan;
    }),
  );
  return routes;
}

const nameOf = ({ method, path }: RoutePlan) => `${method} ${path}`;
const matching = (routes: Routes, path: string) => routes.findMatching(path).map(nameOf);
function found(routes: Routes, method: string, path: string): string | undefined {
  const plan = routes.find(method, path);
  return plan && nameOf(plan);
}

describe('the list of routes', () => {
  test('is empty before the audit', () => {
    const routes = new Routes();
    expect(routes.all).toEqual([]);
    expect(routes.findMatching('/')).toEqual([]);
    expect(routes.find('GET', '/')).toBeUndefined();
  });

  test('is sorted by path, then method', () => {
    const routes = routesOf('POST /b', 'GET /c', 'GET /b', 'PUT /a', 'DELETE /b');
    const sorted = ['PUT /a', 'DELETE /b', 'GET /b', 'POST /b', 'GET /c'];
    expect(routes.all.map(nameOf)).toEqual(sorted);
    expect(routes.describe()).toBe(`${sorted.map((line) => `${line} @Public()`).join('\n')}\n`);
  });
});

describe('paths that contain a secret', () => {
  const routes = new Routes();
  routes.fill(
    [
      { method: 'POST', path: '/hooks/:id/:token', policy: policyOf('CredentialFree', { secretPath: true }) },
      { method: 'GET', path: '/hooks/:id/:token/a.b/*rest', policy: policyOf('Public', { secretPath: true }) },
      { method: 'GET', path: '/i(n)vites/*token', policy: policyOf('Public', { secretPath: true }) },
      { method: 'GET', path: '/hooks/:id', policy: policyOf('CredentialFree') },
    ].map((plan) => plan as RoutePlan),
  );

  test.each([
    ['/hooks/1/x', true],
    ['/hooks/1/x/more?a', true],
    ['/HOOKS/1/x?a', true],
    ['http://host:80/hooks/1/x', true],
    ['/i(n)vites/x', true],
    ['/hooks/1', false],
    ['/hooks/1/', false],
    ['/hooks/1?/x', false],
    ['/hooks//x', false],
    ['/invites/x', false],
    ['/other/hooks/1/x', false],
    ['/', false],
  ])('%s: %s', (target, isSecret) => {
    expect(routes.isSecret(target)).toBe(isSecret);
  });

  test('do not exist without a route that declares them', () => {
    expect(routesOf('GET /hooks/:id/:token').isSecret('/hooks/1/x')).toBe(false);
  });
});

describe('the route that matches a path', () => {
  const routes = routesOf(
    ...['GET /', 'GET /users', 'POST /users', 'GET /users/:id', 'GET /users/@me', 'PATCH /users/@me'],
    ...['GET /users/:id/parts/:part', 'GET /files/*path', 'GET /files/list', 'GET /files/:name', 'DELETE /files/:id'],
  );

  test.each<[method: string, path: string, expected: string | undefined]>([
    ['GET', '/', 'GET /'],
    ['GET', '/users', 'GET /users'],
    ['POST', '/users', 'POST /users'],
    ['HEAD', '/users', 'GET /users'],
    ['DELETE', '/users', undefined],
    ['OPTIONS', '/users', undefined],
    ['GET', '/user', undefined],
    ['GET', '/users/', undefined],
    ['GET', '/users/7', 'GET /users/:id'],
    ['HEAD', '/users/7', 'GET /users/:id'],
    ['PATCH', '/users/7', undefined],
    ['GET', '/users/@me', 'GET /users/@me'],
    ['PATCH', '/users/@me', 'PATCH /users/@me'],
    ['GET', '/users/7/parts', undefined],
    ['GET', '/users/7/parts/', undefined],
    ['GET', '/users//parts/8', undefined],
    ['GET', '/users/7/parts/8', 'GET /users/:id/parts/:part'],
    ['GET', '/users/7/parts/8/9', undefined],
    ['GET', '/users/7/pieces/8', undefined],
    ['GET', '/files', undefined],
    ['GET', '/files/', undefined],
    ['GET', '/files/list', 'GET /files/list'],
    ['GET', '/files/else', 'GET /files/:name'],
    ['GET', '/files/list/of', 'GET /files/*path'],
    ['GET', '/files//', 'GET /files/*path'],
    ['GET', '/folders/a/b', undefined],
  ])('%s %s: %s', (method, path, expected) => {
    expect(found(routes, method, path)).toBe(expected);
  });

  test('every matching method and template is returned, the more specific first', () => {
    expect(matching(routes, '/users/@me')).toEqual(['GET /users/@me', 'PATCH /users/@me', 'GET /users/:id']);
    expect(matching(routes, '/files/list')).toEqual([
      ...['GET /files/list', 'DELETE /files/:id', 'GET /files/:name', 'GET /files/*path'],
    ]);
    expect(matching(routes, '/nothing')).toEqual([]);
  });

  test('text is more specific than a parameter and a parameter than a wildcard, in any position and with any name', () => {
    expect(matching(routesOf('GET /a/:id/*rest', 'GET /a/:longer/b'), '/a/1/b')).toEqual([
      ...['GET /a/:longer/b', 'GET /a/:id/*rest'],
    ]);
    expect(matching(routesOf('GET /:id', 'GET /b:c'), '/b:c')).toEqual(['GET /b:c', 'GET /:id']);
    expect(matching(routesOf('GET /*a', 'GET /:z', 'GET /z'), '/z')).toEqual(['GET /z', 'GET /:z', 'GET /*a']);
    expect(matching(routesOf('GET /:a/z', 'GET /z/:a', 'GET /*a', 'GET /z/*a'), '/z/z')).toEqual([
      ...['GET /z/:a', 'GET /z/*a', 'GET /:a/z', 'GET /*a'],
    ]);
  });
});

describe('the text of a policy', () => {
  test.each<[policy: RoutePolicy, words: string]>([
    [policyOf('Public'), '@Public()'],
    [policyOf('ClientAuth'), '@ClientAuth()'],
    [policyOf('ClientAuth', { confidentialClient: true }), '@ClientAuth({ confidential: true })'],
    [policyOf('AdminAcl', { acl: { mode: 'all', acls: ['user:lookup'] } }), "@AdminAcl('user:lookup')"],
    [policyOf('AdminAcl', { acl: { mode: 'all', acls: ['a:b', 'c:d'] } }), "@AdminAcl('a:b', 'c:d')"],
    [policyOf('AdminAcl', { acl: { mode: 'any', acls: ['a:b', 'c:d'] } }), "@AdminAcl({ anyOf: ['a:b', 'c:d'] })"],
    [policyOf('UserOnly', { scope: 'email' }), "@UserOnly() @OAuthScope('email')"],
    [policyOf('UserOnly', { blockedBySso: true }), '@UserOnly() @BlockedBySso()'],
    [policyOf('UserOnly', { allowSuspicious: true }), '@UserOnly() @AllowSuspicious()'],
    [policyOf('UserOnly', { captcha: true }), '@UserOnly() @Captcha()'],
    [policyOf('BotOnly', { caseInsensitiveScheme: true }), '@BotOnly() @CaseInsensitiveScheme()'],
    [
      policyOf('AdminAcl', { acl: { mode: 'all', acls: ['a:b'] }, changesNothing: true }),
      "@AdminAcl('a:b') @ReadOnly()",
    ],
    [policyOf('UserOnly', { bucket: { name: 'auth:login' } }), "@UserOnly() @RateLimit('auth:login')"],
    [policyOf('UserOnly', { bucket: { name: 'x', per: 'id' } }), "@UserOnly() @RateLimit('x', { per: 'id' })"],
    [
      policyOf('UserOnly', { bucket: { name: 'x', per: 'id', misses: 'y' } }),
      "@UserOnly() @RateLimit('x', { per: 'id', misses: 'y' })",
    ],
    [policyOf('Public', { cors: 'upload' }), "@Public() @Cors('upload')"],
    [policyOf('Public', { accepts: { kind: 'raw' } }), "@Public() @Accepts('raw')"],
    [policyOf('Public', { accepts: { kind: 'json', limit: 7 } }), "@Public() @Accepts('json', { limit: 7 })"],
    [policyOf('UserOnly', { sudo: {} }), '@UserOnly() @RequiresSudo()'],
    [policyOf('UserOnly', { sudo: { issuesProof: false } }), '@UserOnly() @RequiresSudo({ issuesProof: false })'],
  ])('%#: %j', (policy, words) => {
    expect(describePolicy(policy)).toBe(words);
  });

  test('shows predicates by their names', () => {
    const changesPassword = () => true;
    const sudo = {
      voidsProofs: changesPassword,
      when: (
        () => () =>
          true
      )(),
    };
    expect(describePolicy(policyOf('UserOnly', { sudo }))).toBe(
      '@UserOnly() @RequiresSudo({ voidsProofs: changesPassword, when: predicate })',
    );
  });

  test('shows all modifiers in one line, always in the same order', () => {
    const policy = policyOf('UserOnly', {
      ...{ accepts: { kind: 'json', limit: 1 }, bucket: { name: 'x' }, captcha: true, sudo: { issuesProof: true } },
      ...{ allowSuspicious: true, blockedBySso: true, scope: 'email', cors: 'none' },
    });
    expect(describePolicy(policy)).toBe(
      "@UserOnly() @OAuthScope('email') @BlockedBySso() @AllowSuspicious() @RequiresSudo({ issuesProof: true }) " +
        "@Captcha() @RateLimit('x') @Cors('none') @Accepts('json', { limit: 1 })",
    );
  });
});
