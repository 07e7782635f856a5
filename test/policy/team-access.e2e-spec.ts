import { Routes } from '../../src/policy/routes.js';
import { AuthorsModule } from '../fixtures/team/authors.js';
import { notes } from '../fixtures/team/feature.js';
import { WorkspaceRole, workspaces } from '../fixtures/team/workspaces.js';
import {
  eraseAccount,
  expectApiError,
  expectMatrix,
  type Gatehouse,
  gatehouse,
  newApp,
  type Persona,
  person,
  sudoProof,
  superuser,
  withTotp,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let bob: Persona;
beforeAll(async () => {
  service = await gatehouse({ features: [notes, workspaces], modules: [AuthorsModule] });
  [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
});
afterAll(() => service.close());

const discriminatorOf = async ({ authorization }: Persona): Promise<string> =>
  (await service.as(authorization).get('/v1/users/@me')).body.discriminator;

const search = (username: string, discriminator: string) =>
  service.as(alice).get(`/v1/notes/authors/search?username=${username}&discriminator=${discriminator}`);

describe('Accounts for extensions', () => {
  test('finds an account by username, in any case, and discriminator; the profile has no private member', async () => {
    const discriminator = await discriminatorOf(bob);
    const { status, body } = await search('BOB', discriminator);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id: bob.id, username: 'bob', discriminator, global_name: null, flags: 0 },
      ...{ avatar: null, avatar_color: expect.any(Number) },
    });
    const other = discriminator === '0001' ? '0002' : '0001';
    expectApiError(await search('bob', other), 'UNKNOWN_USER');
    expectApiError(
      await search('alice', discriminator === (await discriminatorOf(alice)) ? other : discriminator),
      'UNKNOWN_USER',
    );
  });

  test('finds many accounts at once, without unknown IDs; deleted accounts are anonymous and have no username', async () => {
    const carol = await person(service, 'carol');
    const discriminator = await discriminatorOf(carol);
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (1, $1), (2, $2), (3, 7)', [bob.id, carol.id]);
    const names = async () =>
      (await service.as(alice).get('/v1/notes/authors')).body.map(({ username }: { username: string }) => username);
    expect((await names()).toSorted()).toEqual(['bob', 'carol']);
    await eraseAccount(service, carol);
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (4, $1)', [carol.id]);
    expect((await names()).toSorted()).toEqual(['DeletedUser', 'bob']);
    expectApiError(await search('carol', discriminator), 'UNKNOWN_USER');
  });
});

describe('@Check of an extension', () => {
  const role = (account: { id: string }, name: string | null) =>
    name === null
      ? service.sql('DELETE FROM workspaces_member WHERE account_id = $1', [account.id])
      : service.sql(
          `INSERT INTO workspaces_member VALUES (1, $1, $2)
           ON CONFLICT (workspace_id, account_id) DO UPDATE SET role = $2`,
          [account.id, name],
        );
  const title = async () => (await service.sql('SELECT title FROM workspaces WHERE id = 1'))[0]?.title;

  beforeAll(() => service.sql("INSERT INTO workspaces VALUES (1, 'Plans'), (2, 'Other')"));

  test('admits the roles that a route names, from the next request after a change', async () => {
    const client = service.as(alice);
    const rename = () => client.put('/v1/workspaces/1/title', { title: 'Renamed' });
    expectApiError(await client.get('/v1/workspaces/1'), 'WORKSPACES_UNKNOWN');
    await role(alice, 'viewer');
    expect(await client.get('/v1/workspaces/1')).toMatchObject({ status: 200, body: { title: 'Plans' } });
    expectApiError(await client.get('/v1/workspaces/2'), 'WORKSPACES_UNKNOWN');
    expectApiError(await rename(), 'WORKSPACES_ROLE_REQUIRED');
    expect(await title()).toBe('Plans');
    await role(alice, 'editor');
    expect((await rename()).status).toBe(204);
    expect(await title()).toBe('Renamed');
    await role(alice, null);
    expectApiError(await rename(), 'WORKSPACES_UNKNOWN');
  });

  test('runs after the input and before sudo mode', async () => {
    const bad = await service.as(bob).put('/v1/workspaces/1/title', { title: '' });
    expectApiError(bad, 'INVALID_FORM_BODY');
    const remove = () => service.as(bob).delete('/v1/workspaces/2');
    expectApiError(await remove(), 'WORKSPACES_UNKNOWN');
    await service.sql("INSERT INTO workspaces_member VALUES (2, $1, 'owner')", [bob.id]);
    expectApiError(await remove(), 'SUDO_MODE_REQUIRED');
    expect(await service.sql('SELECT 1 FROM workspaces WHERE id = 2')).toHaveLength(1);
    const { authenticator } = await withTotp(service, bob);
    const proof = await sudoProof(service, bob, authenticator);
    expect((await service.as(bob).sudo(proof).delete('/v1/workspaces/2')).status).toBe(204);
    expect(await service.sql('SELECT 1 FROM workspaces WHERE id = 2')).toEqual([]);
  });

  test('a handler replaces the policy and the checks of its class; the list of routes shows each result', async () => {
    const { bot } = await newApp(service, alice);
    expectApiError(await service.as(bot).get('/v1/workspaces/1'), 'WORKSPACES_UNKNOWN');
    expectApiError(await service.as(bot).delete('/v1/workspaces/1'), 'ACCESS_DENIED');
    const lines = service.app.get(Routes).describe().split('\n');
    expect(lines.filter((line) => line.includes('/v1/workspaces'))).toEqual([
      "DELETE /v1/workspaces/:workspace_id @UserOnly() @Check(WorkspaceRole, 'owner') @RequiresSudo()",
      "GET /v1/workspaces/:workspace_id @Authenticated() @Check(WorkspaceRole, 'viewer')",
      "PUT /v1/workspaces/:workspace_id/title @Authenticated() @Check(WorkspaceRole, 'editor')",
    ]);
  });

  test('is a step of explain, and its errors are in the OpenAPI document', async () => {
    const requested = { method: 'GET', path: '/v1/workspaces/1', credential: 'session' };
    const { body } = await service.as(await superuser(service)).post('/v1/admin/explain', requested);
    expect(body.rows.slice(-2).map(({ row }: { row: string }) => row)).toEqual(['input', 'check']);
    expect(body.rows.at(-1)).toEqual({
      row: 'check',
      judgement: 'depends',
      codes: ['WORKSPACES_UNKNOWN', 'WORKSPACES_ROLE_REQUIRED'],
    });
    const { body: openapi } = await service.anonymous.get('/openapi.json');
    const { responses } = openapi.paths['/v1/workspaces/{workspace_id}'].get;
    const textOf = (status: string) =>
      JSON.stringify(openapi.components.responses[responses[status].$ref?.split('/').at(-1)] ?? responses[status]);
    expect(textOf('404')).toContain('WORKSPACES_UNKNOWN');
    expect(textOf('403')).toContain('WORKSPACES_ROLE_REQUIRED');
  });

  test('the matrix of the test kit finds a check that admits strangers', async () => {
    await expectMatrix(service);
    const role = service.app.get(WorkspaceRole, { strict: false });
    const check = role.check.bind(role);
    role.check = async () => {};
    await expect(expectMatrix(service)).rejects.toThrow(
      'GET /v1/workspaces/:workspace_id with session: 200 , not an error of its checks: WORKSPACES_UNKNOWN',
    );
    role.check = check;
  });
});
