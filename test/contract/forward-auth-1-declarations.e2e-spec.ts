import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRoutes } from '../../src/app.js';
import { explain, routes } from '../../src/cli/routes.js';
import { loadConfig } from '../../src/features.js';
import { extension } from '../../src/policy/extension.js';
import { defineFeature, type Feature } from '../../src/policy/feature.js';
import type { ServicePolicyDeclaration } from '../../src/policy/service-policy.js';

const SECRET = { GATEHOUSE_SECRET: 'a'.repeat(44), NODE_ENV: 'test', LOG_LEVEL: 'silent' };
const folder = mkdtempSync(join(tmpdir(), 'service-policies-'));
const file = join(folder, 'policies.json');
afterAll(() => rmSync(folder, { recursive: true }));

/** Assembles the service with the file and these features, as it does during startup. */
async function start(text: string, features: readonly Feature[] = []) {
  writeFileSync(file, text);
  return readRoutes(loadConfig({ ...SECRET, SERVICE_POLICIES_FILE: file }), { features });
}

const withPolicies = (policies: object) => JSON.stringify({ policies });
const feature = (servicePolicies: Record<string, unknown>) =>
  defineFeature('notes', { servicePolicies: servicePolicies as Record<string, ServicePolicyDeclaration> });

describe('forward-auth.md 1: a wrong declaration stops the start with a sentence that names file and policy', () => {
  const ofPolicy: [declaration: unknown, reason: string][] = [
    [{}, 'lacks the member "accepts", which must be one of authenticated, user, bot, bearer, public'],
    [[], 'must be an object'],
    ['user', 'must be an object'],
    [null, 'must be an object'],
    [{ accepts: 'admin' }, 'invalid member "accepts": it must be one of authenticated, user, bot, bearer, public'],
    [{ accepts: 'toString' }, 'invalid member "accepts"'],
    [{ accepts: 'user', acl: '*' }, 'unknown member "acl"'],
    [{ accepts: 'user', scope: '' }, 'invalid member "scope"'],
    [{ accepts: 'user', scope: ['identify'] }, 'invalid member "scope"'],
    [{ accepts: 'user', scope: 'no.such' }, "names the unknown scope 'no.such'"],
    [{ accepts: 'user', allow_suspicious: 'yes' }, 'invalid member "allow_suspicious": it must be true or false'],
    [{ accepts: 'user', sudo: 1 }, 'invalid member "sudo"'],
    [{ accepts: 'user', requests: 0 }, 'invalid member "requests": it must be a whole number from 1'],
    [{ accepts: 'user', requests: 1.5 }, 'invalid member "requests"'],
    [{ accepts: 'user', seconds: 86401 }, 'invalid member "seconds": it must be a whole number from 1 to 86400'],
    [{ accepts: 'bearer' }, 'accepts bearer without a scope'],
    [{ accepts: 'public', scope: 'identify' }, 'declares @OAuthScope, which @Public does not allow'],
    [{ accepts: 'public', allow_suspicious: true }, 'declares @AllowSuspicious, which @Public does not allow'],
    [{ accepts: 'bot', scope: 'identify' }, 'declares @OAuthScope, which @BotOnly does not allow'],
    [{ accepts: 'authenticated', sudo: true }, 'requires sudo mode, but accepts authenticated'],
    [{ accepts: 'bot', sudo: true }, 'requires sudo mode, but accepts bot'],
    [{ accepts: 'bearer', scope: 'identify', sudo: true }, 'requires sudo mode, but accepts bearer'],
    [{ accepts: 'public', sudo: true }, 'requires sudo mode, but accepts public'],
    [{ accepts: 'user', scope: 'identify', sudo: true }, 'declares @OAuthScope() and @RequiresSudo()'],
  ];
  test.each(ofPolicy)('%j', async (declaration, reason) => {
    const started = start(withPolicies({ right: { accepts: 'user' }, 'notes-read': declaration }));
    const error: Error = await started.then(
      () => new Error('the service started'),
      (thrown) => thrown,
    );
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`${file}: the service policy "notes-read" `);
    expect(error.message).not.toContain('"right"');
    const ofFeature = start(withPolicies({}), [feature({ 'notes-read': declaration })]);
    await expect(ofFeature).rejects.toThrow('notes: the service policy "notes-read" ');
  });

  test.each<[text: string, reason: string]>([
    ['{', 'is not valid JSON'],
    ['', 'is not valid JSON'],
    ['[]', 'must contain {"policies": {...}} and nothing else'],
    ['null', 'must contain {"policies": {...}} and nothing else'],
    ['{"policies": []}', 'must contain {"policies": {...}} and nothing else'],
    ['{"policies": {}, "more": 1}', 'must contain {"policies": {...}} and nothing else'],
    ['{"policies": {"a": {"accepts": "user"}, "\\u0061": {"accepts": "bot"}}}', 'has the member "a" twice'],
    ['{"policies": {"a": {"accepts": "user", "accepts": "public"}}}', 'has the member "accepts" twice'],
    ['{"policies": {"A": {"accepts": "user"}}}', 'the service policy "A" has an invalid name'],
    ['{"policies": {"__proto__": {"accepts": "user"}}}', 'the service policy "__proto__" has an invalid name'],
    [`{"policies": {"a${'b'.repeat(64)}": {"accepts": "user"}}}`, 'has an invalid name'],
  ])('the file %s', async (text, reason) => {
    await expect(start(text)).rejects.toThrow(reason);
    await expect(start(text)).rejects.toThrow(file);
  });

  test('a file that cannot be read', () => {
    const missing = join(folder, 'missing.json');
    const load = () => loadConfig({ ...SECRET, SERVICE_POLICIES_FILE: missing });
    expect(load).toThrow(`SERVICE_POLICIES_FILE ${missing} cannot be read (ENOENT)`);
    expect(() => loadConfig({ ...SECRET, SERVICE_POLICIES_FILE: folder })).toThrow('cannot be read (EISDIR)');
  });

  test('a name that a feature and the file declare, or that lacks the prefix of its feature', async () => {
    const read = { 'notes-read': { accepts: 'user' } };
    await expect(start(withPolicies(read), [feature(read)])).rejects.toThrow(
      `${file}: the service policy "notes-read" exists already`,
    );
    await expect(start(withPolicies({}), [feature({ read: { accepts: 'user' } })])).rejects.toThrow(
      'notes: the service policy "read" must start with notes-',
    );
    const long = defineFeature('my_notes', { servicePolicies: { 'my-notes-read': { accepts: 'user' } } });
    expect((await start(withPolicies({}), [long])).compiled.policies.size).toBe(1);
  });

  test('the hash changes with everything that decides, and with nothing else', async () => {
    const hashOf = async (declaration: object) =>
      (await start(withPolicies({ a: declaration }))).compiled.policies.get('a')?.hash;
    const base = await hashOf({ accepts: 'user' });
    const same = { seconds: 10, requests: 600, sudo: false, allow_suspicious: false, accepts: 'user' };
    expect(await hashOf(same)).toBe(base);
    const others = [
      ...[{ accepts: 'bot' }, { accepts: 'user', scope: 'identify' }, { accepts: 'user', allow_suspicious: true }],
      ...[
        { accepts: 'user', sudo: true },
        { accepts: 'user', requests: 5 },
        { accepts: 'user', seconds: 5 },
      ],
    ];
    const hashes: unknown[] = [base];
    for (const other of others) hashes.push(await hashOf(other));
    expect(new Set(hashes).size).toBe(7);
    expect(hashes.every((hash) => /^[\w-]{43}$/.test(String(hash)))).toBe(true);
  });
});

describe('forward-auth.md 1: the commands', () => {
  const run = async (command: typeof routes, args: string[]) => {
    writeFileSync(file, withPolicies({ 'documents-read': { accepts: 'user', scope: 'identify' } }));
    const lines: string[] = [];
    const terminal = {
      env: { SERVICE_POLICIES_FILE: file },
      extension: extension({ features: [feature({ 'notes-sudo': { accepts: 'user', sudo: true } })] }),
      out: (line: string) => lines.push(...line.split('\n')),
      err: () => {},
    };
    expect(await command(args, terminal as never)).toBe(0);
    return lines;
  };

  test('gatehouse routes lists the policies of the file and of features', async () => {
    const lines = await run(routes, []);
    expect(lines.filter((line) => line.startsWith('POLICY '))).toEqual([
      "POLICY documents-read @UserOnly() @OAuthScope('identify') @RateLimit('service_policy:documents-read') @Cors('none')",
      "POLICY notes-sudo @UserOnly() @RequiresSudo({ byProof: true, issuesProof: false }) @RateLimit('service_policy:notes-sudo') @Cors('none')",
    ]);
    expect(lines).toContain("GET /v1/forward-auth/:policy @CredentialFree() @ByServicePolicy() @Cors('none')");
  });

  test('gatehouse explain shows the guards of a policy, for any method and rest of the path', async () => {
    const path = '/v1/forward-auth/documents-read';
    const lines = await run(explain, ['POST', `${path}/a/b`, '--credential', 'bearer']);
    expect(lines[0]).toBe(`GET ${path}`);
    expect(lines.at(-1)).toBe('  response 403 MISSING_OAUTH_SCOPE');
    expect(lines.filter((line) => /^ {4}/.test(line)).map((line) => line.trim().split(/ +/)[1])).toEqual([
      ...['load', 'ip_ban', 'credential', 'rate_limit', 'identity', 'credential_kind', 'scope', 'suspicious_activity'],
    ]);
    expect((await run(explain, ['GET', path, '--credential', 'session'])).at(-1)).toBe('  response 200');
    const sudo = await run(explain, ['GET', '/v1/forward-auth/notes-sudo', '--credential', 'session']);
    expect(sudo.filter((line) => line.includes('sudo ')).join()).toContain('depends');
  });
});
