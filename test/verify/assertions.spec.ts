import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { AssertionVerifier, InvalidAssertion } from '../../verify/index.js';
import { PYTHON } from './subject.js';

const POLICY = 'documents-read';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const newKey = (kid: string) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });

function hasCryptography(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The verifier of the Python file, which a process runs. */
class PythonVerifier {
  private static number = 0;
  private static process: ChildProcess | undefined;
  private static lines: AsyncIterator<string>;
  private readonly number = PythonVerifier.number++;

  constructor(private readonly options: { readonly issuer: string }) {}

  private static begin(): ChildProcess {
    const PYTHONPATH = join(import.meta.dirname, '../../verify/python');
    const env = { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' };
    const started = spawn(PYTHON, [join(import.meta.dirname, 'subjects/assertions.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    const reader: Interface = createInterface({ input: started.stdout as NodeJS.ReadableStream });
    PythonVerifier.lines = reader[Symbol.asyncIterator]();
    return started;
  }

  static end(): void {
    PythonVerifier.process?.kill();
  }

  async verify(assertion: string | undefined, policy: string): Promise<unknown> {
    PythonVerifier.process ??= PythonVerifier.begin();
    const line = JSON.stringify([this.options.issuer, this.number, assertion ?? null, policy]);
    PythonVerifier.process.stdin?.write(`${line}\n`);
    const { value } = await PythonVerifier.lines.next();
    const { caller, invalid, error } = JSON.parse(value);
    if (error !== undefined) throw new Error(error);
    if (invalid !== undefined) throw new InvalidAssertion(invalid);
    return caller;
  }
}

afterAll(() => PythonVerifier.end());

describe.each([
  ['Node.js', AssertionVerifier],
  ...(hasCryptography() ? [['Python', PythonVerifier] as const] : []),
] as const)('forward-auth.md 2: the assertion of a proxy, in %s', (_language, Verifier) => {
  let server: Server;
  let issuer: string;
  let published: { kid: string; publicKey: KeyObject }[];
  let fetched = 0;
  let verifier: AssertionVerifier | PythonVerifier;
  const key = newKey('one');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });

  beforeAll(async () => {
    server = createServer((_request, response) => {
      fetched++;
      const keys = published.map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid,
        alg: 'ES256',
      }));
      response.end(JSON.stringify({ keys: [{ ...rsa, kid: 'rsa' }, ...keys] }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    fetched = 0;
    published = [key];
    verifier = new Verifier({ issuer });
  });

  function claims(more: object = {}) {
    const iat = Math.floor(Date.now() / 1000);
    return {
      ...{ iss: issuer, aud: `urn:gatehouse:policy:${POLICY}`, sub: '7', kind: 'bearer', application_id: '3' },
      ...{ scope: 'identify documents.read', iat, exp: iat + 10, jti: 'a' },
      ...more,
    };
  }

  function assertion(payload: object, header: object = {}, signer = key): string {
    const head = part({ typ: 'gatehouse-assertion+jwt', alg: 'ES256', kid: signer.kid, ...header });
    const text = `${head}.${part(payload)}`;
    const signature = sign('sha256', Buffer.from(text), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  test('a valid one returns the caller, and the keys are fetched once', async () => {
    const expected = { kind: 'bearer', account_id: '7', application_id: '3', scopes: ['identify', 'documents.read'] };
    await expect(verifier.verify(assertion(claims()), POLICY)).resolves.toEqual(expected);
    const anonymous = claims({ sub: undefined, kind: 'anonymous', application_id: undefined, scope: undefined });
    await expect(verifier.verify(assertion(anonymous), POLICY)).resolves.toEqual({ kind: 'anonymous' });
    expect(fetched).toBe(1);
  });

  const past = Math.floor(Date.now() / 1000) - 20;
  test.each<[string, object, object]>([
    ['of another issuer', { iss: 'https://other.example' }, {}],
    ['for another policy', { aud: 'urn:gatehouse:policy:documents-write' }, {}],
    ['for several policies', { aud: [`urn:gatehouse:policy:${POLICY}`] }, {}],
    ['that has expired', { iat: past - 10, exp: past }, {}],
    ['without an expiration', { exp: undefined }, {}],
    ['with an unknown kind', { kind: 'admin' }, {}],
    ['of another type', {}, { typ: 'JWT' }],
    ['without a type', {}, { typ: undefined }],
    ['without a signature algorithm', {}, { alg: 'none' }],
    ['with an unknown key', {}, { kid: 'unknown' }],
    ['with a key for something else', {}, { kid: 'rsa' }],
  ])('one %s is invalid', async (_what, payload, header) => {
    await expect(verifier.verify(assertion(claims(payload), header), POLICY)).rejects.toThrow(InvalidAssertion);
  });

  test('a changed, truncated, extended or differently signed one is invalid', async () => {
    const valid = assertion(claims());
    const [head = '', , signature = ''] = valid.split('.');
    const text = `${part({ typ: 'gatehouse-assertion+jwt', alg: 'HS256', kid: 'one' })}.${part(claims())}`;
    const secret = key.publicKey.export({ format: 'pem', type: 'spki' });
    const candidates = [
      `${head}.${part(claims({ sub: '1' }))}.${signature}`,
      ...[valid.slice(0, -4), `${valid}.${signature}`, `${head}.${part(claims())}.`, head, '', undefined, '..', '-'],
      assertion(claims(), { kid: 'one' }, newKey('other')),
      `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`,
    ];
    for (const candidate of candidates) {
      await expect(verifier.verify(candidate, POLICY)).rejects.toThrow(InvalidAssertion);
    }
  });

  test('unknown keys are fetched again, but not for every assertion', async () => {
    const next = newKey('two');
    published = [key, next];
    await expect(verifier.verify(assertion(claims(), {}, next), POLICY)).resolves.toMatchObject({ account_id: '7' });
    for (let count = 0; count < 20; count++) {
      await expect(verifier.verify(assertion(claims(), { kid: `${count}` }), POLICY)).rejects.toThrow(InvalidAssertion);
    }
    expect(fetched).toBe(1);
  });
});
