import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { missing } from '../machine/programs.js';
import { CALLBACK } from '../support/index.js';
import type { Library, Pair, Registration } from './libraries.js';

/** The Python of Debian, which has the packages. */
const PYTHON = '/usr/bin/python3';
const PACKAGES = '/usr/lib/python3/dist-packages';

/** The reason why Authlib cannot run here, if it cannot. */
export const authlibMissing = missing(PYTHON, `${PACKAGES}/authlib`, `${PACKAGES}/requests`);

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token?: string;
}

const pair = ({ access_token, refresh_token }: Tokens): Pair => ({ access: access_token, refresh: refresh_token });

interface AuthlibProcess {
  call<T>(operation: string, ...given: unknown[]): Promise<T>;
  close(): Promise<void>;
}

/** Starts Authlib with requests in its own Python process. */
function startAuthlib({ origin, id, secret }: Registration, scope: string): AuthlibProcess {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'authlib_client.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  send({ origin, id, secret, callback: CALLBACK, scope });
  return {
    async call<T>(operation: string, ...given: unknown[]): Promise<T> {
      send([operation, given]);
      const { value, done } = await lines.next();
      if (done) throw new Error('Python ended');
      const response = JSON.parse(value);
      if (!('done' in response)) throw Object.assign(new Error(response.message), response);
      return response.done as T;
    },
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

interface Begun {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

/**
 * Signs in with OpenID Connect and refreshes once.
 * @param decide leads from the URL of the request to that of the response
 * @returns the tokens of the sign-in and of the refresh
 */
export async function signInWithAuthlib(
  registration: Registration,
  decide: (url: URL) => Promise<URL>,
): Promise<{ first: Tokens; next: Tokens }> {
  const { call, close } = startAuthlib(registration, 'openid profile email');
  try {
    const { url, state, verifier } = await call<Begun>('begin');
    const first = await call<Tokens>('redeem', (await decide(new URL(url))).href, state, verifier);
    return { first, next: await call<Tokens>('refresh', first.refresh_token) };
  } finally {
    await close();
  }
}

/** Authlib with requests. */
export async function ofAuthlib(registration: Registration): Promise<Library> {
  const { call, close } = startAuthlib(registration, 'identify email');
  return {
    async begin() {
      const { url, state, verifier } = await call<Begun>('begin');
      return { url: new URL(url), redeem: async (back) => pair(await call('redeem', back.href, state, verifier)) };
    },
    refresh: async (token) => pair(await call('refresh', token)),
    subjectOf: async (access) => (await call<{ sub: string }>('subject', access)).sub,
    revoke: ({ refresh }) => call('revoke', refresh),
    errorOf: (thrown) => (thrown as { error?: string }).error,
    statusOf: (thrown) => (thrown as { status?: number }).status,
    close,
  };
}
