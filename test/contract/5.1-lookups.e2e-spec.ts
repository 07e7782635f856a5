import { Agent, request } from 'node:http';
import { jest } from '@jest/globals';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { markConnectionError } from '../../src/core/database-errors.js';
import { Database } from '../../src/platform/database/database.js';
import { failNextStatement } from '../machine/failing-statements.js';
import {
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
} from '../support/index.js';

const CONNECTIONS = 32;

let service: Gatehouse;
let ada: CredentialSet;
let bob: CredentialSet;

beforeAll(async () => {
  service = await gatehouse();
  ada = await createCredentialSet(service, { scopes: ['identify', 'email'], acls: ['admin:authenticate'] });
  bob = await createCredentialSet(service, { scopes: ['identify', 'email'], acls: ['admin:authenticate'] });
});
afterAll(() => service.close());

/** Counts the lookup statements and the lookups while `work` runs. */
async function counted(work: () => Promise<unknown>): Promise<{ statements: number; lookups: number }> {
  const { counters } = service.app.get(IdentityResolver);
  const before = { ...counters };
  await work();
  return { statements: counters.statements - before.statements, lookups: counters.lookups - before.lookups };
}

const me = (authorization: string) => service.as(authorization).get('/v1/users/@me');

describe('performance.md P4: database cost of a credential', () => {
  test.each(['session', 'bot', 'bearer'] as const)('%s: exactly one statement for one request', async (kind) => {
    const { statements, lookups } = await counted(async () => {
      for (let round = 0; round < 20; round++) expect((await me(ada[kind])).body.id).toBeDefined();
    });
    expect({ statements, lookups }).toEqual({ statements: 20, lookups: 20 });
  });

  test('a revoked credential is rejected on the next request, because lookups are not cached', async () => {
    const { session } = await createCredentialSet(service);
    expect((await me(session)).status).toBe(200);
    await service.as(session).post('/v1/auth/logout');
    const cost = await counted(async () => expectApiError(await me(session), 'UNAUTHORIZED'));
    expect(cost).toEqual({ statements: 1, lookups: 1 });
  });

  test.each([
    'flx_tooshort',
    'Bot 0123456789abcdef',
    'Bearer  two blanks',
    `Bearer ${'A'.repeat(44)}`,
    'Basic YTpi',
    `Admin fa_99999999999999999999_${'A'.repeat(32)}`,
  ])('%s: malformed, no statement', async (authorization) => {
    const cost = await counted(async () => expectApiError(await me(authorization), 'UNAUTHORIZED'));
    expect(cost).toEqual({ statements: 0, lookups: 0 });
  });

  test('a route without a credential looks up none', async () => {
    const cost = await counted(async () => {
      expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
      expectApiError(await service.anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
    });
    expect(cost).toEqual({ statements: 0, lookups: 0 });
  });
});

/** Sends requests over a fixed number of connections, as load generators do. */
async function load(
  requests: number,
  authorization: (index: number) => string,
): Promise<{ status: number; id: string }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const one = (index: number) =>
    new Promise<{ status: number; id: string }>((resolve, reject) => {
      const headers = { authorization: authorization(index) };
      request(`${service.url}/v1/users/@me`, { agent, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, id: JSON.parse(text).id }));
      })
        .on('error', reject)
        .end();
    });
  let next = 0;
  const responses: { status: number; id: string }[] = [];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < requests) {
        const index = next++;
        responses[index] = await one(index);
      }
    }),
  );
  agent.destroy();
  return responses;
}

describe('performance.md P4: at 32 connections', () => {
  test('concurrent lookups share a statement: fewer than 0.2 per request', async () => {
    const requests = 40 * CONNECTIONS;
    const { statements, lookups } = await counted(async () => {
      const responses = await load(requests, () => ada.session);
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    });
    expect(lookups).toBe(requests);
    expect(statements / requests).toBeLessThan(0.2);
  });

  test('each caller in a batch gets its own result, also for unknown and repeated credentials', async () => {
    const presented: [authorization: string, status: number, id: string | undefined][] = [
      [ada.session, 200, ada.accountId],
      [`flx_${'A'.repeat(36)}`, 401, undefined],
      [bob.session, 200, bob.accountId],
      [ada.bot, 200, ada.applicationId],
      [`Bot ${bob.applicationId}.${ada.bot.split('.')[1]}`, 401, undefined],
      [bob.bearer, 200, bob.accountId],
      [`Bearer ${'A'.repeat(43)}`, 401, undefined],
    ];
    const at = (index: number) => presented[index % presented.length] as (typeof presented)[number];
    const responses = await load(20 * CONNECTIONS, (index) => at(index)[0]);
    expect(responses.map(({ status, id }) => [status, id])).toEqual(responses.map((_, index) => at(index).slice(1)));
  });

  test('at most two statements of a kind are in flight', async () => {
    const database = service.app.get(Database);
    const inFlight = new Map<string, number>();
    let most = 0;
    const requested = jest.spyOn(database, 'statement');
    const ask = Database.prototype.statement;
    requested.mockImplementation(async (name, text, values) => {
      const now = (inFlight.get(name) ?? 0) + 1;
      inFlight.set(name, now);
      most = Math.max(most, now);
      try {
        return await ask.call(database, name, text, values);
      } finally {
        inFlight.set(name, (inFlight.get(name) ?? 0) - 1);
      }
    });
    await load(20 * CONNECTIONS, (index) => (index % 2 ? ada.session : bob.bearer));
    requested.mockRestore();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('a batch that the database does not answer fails with 503, and the next one succeeds', async () => {
    const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    markConnectionError(cut);
    const endFailures = failNextStatement(service, 'identity-session', cut);
    const response = await me(ada.session);
    expectApiError(response, 'SERVICE_UNAVAILABLE');
    expect(response.headers.get('retry-after')).toBe('5');
    endFailures();
    expect((await me(ada.session)).status).toBe(200);
  });
});
