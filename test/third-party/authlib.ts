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
}

const pair = ({ access_token, refresh_token }: Tokens): Pair => ({ access: access_token, refresh: refresh_token });

/** Authlib with requests, in its own Python process. */
export async function ofAuthlib({ origin, id, secret }: Registration): Promise<Library> {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'authlib_client.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  send({ origin, id, secret, callback: CALLBACK, scope: 'identify email' });
  const call = async <T>(operation: string, ...given: unknown[]): Promise<T> => {
    send([operation, given]);
    const { value, done } = await lines.next();
    if (done) throw new Error('Python ended');
    const answer = JSON.parse(value);
    if (!('done' in answer)) throw Object.assign(new Error(answer.message), answer);
    return answer.done as T;
  };
  return {
    async begin() {
      const { url, state, verifier } = await call<{ url: string; state: string; verifier: string }>('begin');
      return { url: new URL(url), redeem: async (back) => pair(await call('redeem', back.href, state, verifier)) };
    },
    refresh: async (token) => pair(await call('refresh', token)),
    subjectOf: async (access) => (await call<{ sub: string }>('subject', access)).sub,
    revoke: ({ refresh }) => call('revoke', refresh),
    errorOf: (thrown) => (thrown as { error?: string }).error,
    statusOf: (thrown) => (thrown as { status?: number }).status,
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
