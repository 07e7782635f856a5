import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);
/** The paths of the operations in auth.md, account.md, oauth.md, webhooks.md and admin.md. */
const AREAS = /^\/v1\/(?:auth|users|oauth2|applications|webhooks|gateway|admin|setup)(?:\/|$)/;

/** Operations that no page calls, each with the reason. */
const NOT_OF_PAGES: Readonly<Record<string, string>> = {
  'GET /v1/applications/@me': 'a bot asks who it is',
  'GET /v1/gateway/bot': 'a bot asks where the gateway is',
  'GET /v1/oauth2/applications/@me': 'a bot asks for itself; a person has GET /v1/users/@me/applications',
  'GET /v1/oauth2/authorize': 'an application sends people there, and they arrive at the consent page',
  'GET /v1/oauth2/@me': 'an application, with an access token',
  'GET /v1/oauth2/userinfo': 'an application, with an access token',
  'GET /v1/oauth2/openid/userinfo': 'an application, with an access token',
  'POST /v1/oauth2/openid/userinfo': 'an application, with an access token',
  'POST /v1/oauth2/token': 'an application, with its secret',
  'POST /v1/oauth2/token/revoke': 'an application, with its secret',
  'POST /v1/oauth2/introspect': 'an application, with its secret',
  'POST /v1/auth/passkey-bridge': 'an app that cannot use passkeys itself starts it; a page can',
  'POST /v1/users/@me/passkey-bridge': 'an app that cannot use passkeys itself starts it; a page can',
  'POST /v1/users/@me/passkey-bridge/:ceremony_id/redeem': 'the app that started it',
  'GET /v1/auth/handoff/:code/status': 'an app that polls without a secret; the page polls by POST, with one',
  'GET /v1/auth/sso/status': 'a part of /.well-known/service, which the pages read',
  'GET /v1/auth/connections': 'a part of /.well-known/service, which the pages read',
  'GET /v1/webhooks/:id/:token': 'whoever posts, by the address of the webhook',
  'PATCH /v1/webhooks/:id/:token': 'whoever posts, by the address of the webhook',
  'DELETE /v1/webhooks/:id/:token': 'whoever posts, by the address of the webhook',
  'POST /v1/webhooks/:id/:token/github': 'whoever posts, by the address of the webhook',
  'POST /v1/webhooks/:id/:token/slack': 'whoever posts, by the address of the webhook',
  'GET /v1/webhooks/:id/:token/messages/:message_id': 'whoever posts, by the address of the webhook',
  'PATCH /v1/webhooks/:id/:token/messages/:message_id': 'whoever posts, by the address of the webhook',
  'DELETE /v1/webhooks/:id/:token/messages/:message_id': 'whoever posts, by the address of the webhook',
};

/** All operations of the service. `test/pipeline/routes.e2e-spec.ts` checks that the snapshot is current. */
const operations = readFileSync(join(ROOT, 'test/routes.snapshot.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(' ').slice(0, 2) as [method: string, path: string])
  .filter(([, path]) => AREAS.test(path ?? ''))
  .map((parts) => parts.join(' '));

const sources = readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) =>
    ts.createSourceFile(path, readFileSync(join(ROOT, 'web', path), 'utf8'), ts.ScriptTarget.Latest, true),
  );

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

type Named = ReadonlyMap<string, readonly string[]>;

/** All values of a string expression that consists of literals, named strings and conditionals. */
function textsOf(node: ts.Node, named: Named): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isIdentifier(node)) return named.get(node.text) ?? [];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textsOf(node.expression, named);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((part) => textsOf(part, named));
  if (!ts.isTemplateExpression(node)) return [];
  return node.templateSpans.reduce<readonly string[]>(
    (said, { expression, literal }) =>
      said.flatMap((text) => textsOf(expression, named).map((part) => text + part + literal.text)),
    [node.head.text],
  );
}

const nodes = new Map(sources.map((source) => [source.fileName, [...nodesOf(source)]]));

const namesByFile = new Map<string, Map<string, readonly string[]>>();

/** The strings of a file by name. Includes those that it imports from files that export them. */
function namesIn(file: string): Map<string, readonly string[]> {
  const known = namesByFile.get(file);
  if (known) return known;
  const named = new Map<string, readonly string[]>();
  namesByFile.set(file, named);
  for (const node of nodes.get(file) ?? []) {
    if (ts.isImportSpecifier(node)) {
      const from = (node.parent.parent.parent.moduleSpecifier as ts.StringLiteral).text;
      const texts = from.startsWith('.') ? namesIn(sourceOf(join(dirname(file), from))).get(node.name.text) : undefined;
      if (texts) named.set(node.name.text, texts);
    }
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || !node.initializer) continue;
    const texts = textsOf(node.initializer, named);
    if (texts.length > 0) named.set(node.name.text, texts);
  }
  return named;
}

const sourceOf = (script: string): string =>
  ['.ts', '.tsx'].map((ending) => script.replace(/\.js$/, ending)).find((path) => nodes.has(path)) ?? '';

function callsIn(file: string): string[] {
  const named = namesIn(file);
  return (nodes.get(file) ?? []).flatMap((node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    const method = node.expression.name.text;
    const [argument] = node.arguments;
    if (!METHODS.has(method) || !argument) return [];
    const paths = textsOf(argument, named).filter((path) => path.startsWith('/v1/'));
    return paths.map((path) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
  });
}

const called = new Set([...nodes.keys()].flatMap(callsIn));

describe('web.md 1, 3 and 4: every operation for users or administrators has a page', () => {
  test('every operation is called by a page, or is listed here with the reason', () => {
    expect(operations.length).toBeGreaterThan(100);
    expect(operations.filter((operation) => !called.has(operation) && !(operation in NOT_OF_PAGES))).toEqual([]);
  });

  test('every listed operation exists, and no page calls it', () => {
    const named = Object.keys(NOT_OF_PAGES);
    expect(named.filter((operation) => !operations.includes(operation))).toEqual([]);
    expect(named.filter((operation) => called.has(operation))).toEqual([]);
  });
});
