import { setTimeout as pause } from 'node:timers/promises';
import { defineFeature } from '../../src/policy/feature.js';
import {
  type App,
  administrator,
  asApp,
  clients,
  type Gatehouse,
  gatehouse,
  newTokens,
  type Persona,
  person,
  signIn,
} from '../support/index.js';
import { EXAMPLES, RunningExample } from './example.js';
import { ASGI, get, NODE, Subject, WSGI } from './subject.js';

const documents = defineFeature('documents', {
  servicePolicies: {
    'documents-read': { accepts: 'authenticated', scope: 'identify' },
    'documents-public': { accepts: 'public' },
    'documents-user': { accepts: 'user' },
    'documents-delete': { accepts: 'user', sudo: true },
  },
});
const POLICIES = ['documents-delete', 'documents-public', 'documents-read', 'documents-user'];

let service: Gatehouse;
let root: Persona;
let alice: Persona;
let app: App;
let stranger: App;
beforeAll(async () => {
  service = await gatehouse({ features: [documents] });
  root = await administrator(service, '*');
  ({ alice, app, stranger } = await clients(service));
  await allow(POLICIES);
});
afterAll(() => service.close());

const allow = (policies: readonly string[]) =>
  service.as(root).patch(`/v1/admin/applications/${app.id}`, { resource_policies: policies }).expect(200);
const client = () => ({ id: app.id, secret: app.secret ?? '' });

describe.each([NODE, WSGI, ASGI])('forward-auth.md 4, with the service: $name', (implementation) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await Subject.start(implementation, service.url, client());
    await subject.get('documents-public');
    while ((await subject.metrics()).lag_seconds === null) await pause(20);
  });
  afterAll(() => subject.close());

  /** Presents a credential until it is kept. */
  async function keep(authorization: string): Promise<void> {
    const { hits } = await subject.metrics();
    const end = performance.now() + 10_000;
    while ((await subject.metrics()).hits === hits) {
      expect((await subject.get('documents-read', { authorization })).status).toBe(200);
      if (performance.now() > end) throw new Error('The admission is not kept');
    }
  }

  /** Milliseconds from the response to a revocation to the first request that is not admitted. */
  async function lag(authorization: string): Promise<number> {
    const revoked = performance.now();
    let last = revoked;
    while ((await subject.get('documents-read', { authorization })).status === 200) {
      last = performance.now();
      if (last - revoked > 5000) throw new Error('The credential is still admitted');
    }
    return last - revoked;
  }

  test('names the caller of each kind of credential', async () => {
    const { access_token: token } = await newTokens(service, alice, stranger, 'identify');
    const of = async (policy: string, authorization?: string) =>
      JSON.parse((await subject.get(policy, authorization === undefined ? {} : { authorization })).body);
    const account = { account_id: alice.id, username: expect.stringContaining('alice') };
    expect(await of('documents-read', alice.authorization)).toEqual({ kind: 'session', ...account });
    expect(await of('documents-read', `Bearer ${token}`)).toEqual({
      ...{ kind: 'bearer', ...account, application_id: stranger.id, scopes: ['identify'] },
    });
    expect(await of('documents-read', app.bot)).toMatchObject({ kind: 'bot', application_id: app.id });
    expect(await of('documents-public')).toEqual({ kind: 'anonymous' });
  });

  test('sends the same responses as forward authentication', async () => {
    const rejections: [string, string | undefined, number][] = [
      ['documents-read', undefined, 401],
      ['documents-read', 'unknown', 401],
      ['documents-user', app.bot, 403],
      ['documents-delete', alice.authorization, 403],
    ];
    for (const [policy, authorization, status] of rejections) {
      const response = await subject.get(policy, authorization === undefined ? {} : { authorization });
      const path = `${service.url}/v1/forward-auth/${policy}`;
      const expected = await get(path, authorization === undefined ? {} : { authorization });
      expect({ status: response.status, body: response.body }).toEqual({ status, body: expected.body });
      expect(response.headers['content-type']).toBe(expected.headers['content-type']);
    }
    expect((await subject.get('unknown', { authorization: alice.authorization })).status).toBe(503);
  });

  test.each<[string, () => Promise<{ authorization: string; revoke: () => PromiseLike<unknown> }>]>([
    [
      'a session that is logged out',
      async () => {
        const authorization = await signIn(service, alice);
        return { authorization, revoke: () => service.as(authorization).post('/v1/auth/logout').expect(204) };
      },
    ],
    [
      'an access token that is revoked',
      async () => {
        const { access_token: token } = await newTokens(service, alice, stranger, 'identify');
        const revoke = async () => {
          expect((await asApp(service, stranger, '/v1/oauth2/token/revoke', { token })).status).toBe(200);
        };
        return { authorization: `Bearer ${token}`, revoke };
      },
    ],
    [
      'an account that is banned',
      async () => {
        const bob = await person(service, 'bob');
        const revoke = () => service.as(root).put(`/v1/admin/users/${bob.id}/ban`, { duration_hours: 1 }).expect(200);
        return { authorization: bob.authorization, revoke };
      },
    ],
  ])('does not admit %s', async (_what, prepare) => {
    const { authorization, revoke } = await prepare();
    await keep(authorization);
    await revoke();
    expect(await lag(authorization)).toBeLessThan(1000);
  });

  test('asks about every request while its list of policies changes, and then for the new list', async () => {
    await keep(alice.authorization);
    await allow(POLICIES.filter((name) => name !== 'documents-read'));
    try {
      const end = performance.now() + 5000;
      while ((await subject.get('documents-read', { authorization: alice.authorization })).status === 200) {
        if (performance.now() > end) throw new Error('The policy is still used');
      }
    } finally {
      await allow(POLICIES);
    }
    await keep(alice.authorization);
  });
});

test.each(EXAMPLES)('examples/$name runs with the service', async (example) => {
  const { id: CLIENT_ID, secret: CLIENT_SECRET } = client();
  const running = await RunningExample.start(example, { GATEHOUSE_URL: service.url, CLIENT_ID, CLIENT_SECRET });
  try {
    const { body } = await get(`${running.url}/documents`, { authorization: alice.authorization });
    expect(JSON.parse(body)).toEqual({ documents: [`Notes of account ${alice.id}`] });
    expect((await get(`${running.url}/documents`)).status).toBe(401);
  } finally {
    await running.close();
  }
});
