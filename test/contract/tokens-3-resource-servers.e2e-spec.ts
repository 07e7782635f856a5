import { defineFeature } from '../../src/policy/feature.js';
import {
  type App,
  administrator,
  adminKey,
  asApp,
  auditOf,
  clients,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newTokens,
  type Persona,
  withoutAudit,
} from '../support/index.js';

const INTROSPECT = '/v1/oauth2/introspect';
const INACTIVE = { active: false };
const text = { 'en-US': 'Read notes' };
const notes = defineFeature('notes', { scopes: { 'notes.read': text, 'notes.write': text } });

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { RATE_LIMITS: 'on' }, features: [notes] });
  root = await administrator(service, '*');
});
afterAll(() => service.close());

const patch = (app: App, scopes: unknown, who = root.authorization) =>
  service.as(who).patch(`/v1/admin/applications/${app.id}`, { resource_scopes: scopes });
const introspect = async (app: App, token: string, more: Record<string, string> = {}) =>
  (await asApp(service, app, INTROSPECT, { token, ...more })).body;
const personalToken = async (alice: Persona, more: object): Promise<string> => {
  const input = { name: 'Script', password: alice.password, ...more };
  return (await service.as(alice).post('/v1/users/@me/access-tokens', input).expect(201)).body.token;
};

describe('tokens.md 3: a resource server', () => {
  test('introspects tokens of others that have one of its scopes, and sees only these scopes', async () => {
    const { alice, app, stranger, publicApp } = await clients(service);
    const { access_token, refresh_token } = await newTokens(
      service,
      alice,
      stranger,
      'identify notes.read notes.write',
    );
    expect(await introspect(app, access_token)).toEqual(INACTIVE);
    await patch(app, ['notes.read']).expect(200);
    expect(await introspect(app, access_token)).toMatchObject({
      ...{ active: true, scope: 'notes.read', client_id: stranger.id, token_type: 'Bearer', sub: alice.id },
    });
    expect(await introspect(app, refresh_token)).toEqual(INACTIVE);
    expect(await introspect(stranger, access_token)).toMatchObject({ scope: 'identify notes.read notes.write' });
    const others = await newTokens(service, alice, stranger, 'identify notes.write');
    expect(await introspect(app, others.access_token)).toEqual(INACTIVE);
    expect((await asApp(service, publicApp, INTROSPECT, { token: access_token })).body.code).toBe('INVALID_CLIENT');
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [alice.id]);
    expect(await introspect(app, access_token)).toEqual(INACTIVE);
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [alice.id]);
    await patch(app, []).expect(200);
    expect(await introspect(app, access_token)).toEqual(INACTIVE);
  });

  test('introspects personal access tokens, and those with networks only with a right address', async () => {
    const { alice, app, stranger } = await clients(service);
    await patch(app, ['notes.read']).expect(200);
    const token = await personalToken(alice, { scopes: ['notes.read', 'notes.write'] });
    expect(await introspect(app, token)).toMatchObject({ active: true, scope: 'notes.read', client_id: '0' });
    expect(await introspect(stranger, token)).toEqual(INACTIVE);
    const narrow = await personalToken(alice, { scopes: ['notes.read'], networks: ['198.51.100.0/24'] });
    const responses = await Promise.all(
      ['', '203.0.113.1', 'nowhere', '198.51.100.7'].map((address) => introspect(app, narrow, { address })),
    );
    expect(responses.map(({ active }) => active)).toEqual([false, false, false, true]);
    const foreign = await personalToken(alice, { scopes: ['identify'] });
    expect(await introspect(app, foreign)).toEqual(INACTIVE);
  });

  test('has its own rate limit, and others keep theirs, also with a wrong secret', async () => {
    const { app, stranger } = await clients(service);
    await patch(app, ['notes.read']).expect(200);
    const limitOf = async (client: App, secret = client.secret) =>
      (await asApp(service, { ...client, secret }, INTROSPECT, { token: 'x' })).headers.get('x-ratelimit-limit');
    expect(await limitOf(app)).toBe('6000');
    expect(await limitOf(stranger)).toBe('120');
    expect(await limitOf(app, 'wrong')).toBe('120');
  });
});

describe('tokens.md 3: resource_scopes', () => {
  test('are set with application:resource and audited', async () => {
    const { app } = await clients(service);
    const shown = (await patch(app, ['notes.write', 'notes.read']).expect(200)).body.application;
    expect(shown.resource_scopes).toEqual(['notes.read', 'notes.write']);
    const [entry] = (await auditOf(service, 'set_resource_scopes')).filter(({ target_id }) => target_id === app.id);
    expect(entry?.metadata).toMatchObject({ new_scopes: 'notes.read,notes.write' });
  });

  test('are scopes of extensions only, and need the ACL', async () => {
    const app = { id: '1' } as App;
    const { authorization } = await adminKey(service, root, 'application:trust');
    await withoutAudit(service, async () => {
      for (const scope of ['identify', 'bot', 'notes.unknown', 7]) {
        expectInvalid(await patch(app, [scope]), 'resource_scopes.0: INVALID_FORMAT');
      }
      expectApiError(await patch(app, ['notes.read'], authorization), 'MISSING_ACL');
    });
  });
});
