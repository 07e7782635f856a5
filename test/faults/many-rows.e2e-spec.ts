import { runCleanup } from '../support/cleanup.js';
import { type Gatehouse, gatehouse, newWebhook, person, sessionsOf } from '../support/index.js';
import { addFiles, addGrants, addRows, addSessions, filesOf, removalsOf } from '../support/many-rows.js';

/** More than 65,535, the maximum number of parameters of a statement. */
const MANY = 65_600;

describe('auth 1.7 an account with more rows than a statement can have parameters', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('can be locked down, and then erased', async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const hook = await newWebhook(service, alice);
    await addSessions(service, alice, MANY);
    await addGrants(service, alice, owner, MANY);
    await addFiles(service, alice, hook, MANY);
    const { body } = await service.as(alice).post('/v1/users/@me/lockdown', {
      password: alice.password,
      include: ['sessions', 'grants'],
    });
    expect(body.ended).toMatchObject({ sessions: MANY, grants: MANY });
    expect(await removalsOf(service, alice)).toEqual({ families: 0, bots: 0, told: MANY, events: MANY });
    expect((await service.as(alice).post('/v1/users/@me/delete', { password: alice.password })).status).toBeLessThan(
      300,
    );
    await service.sql("UPDATE account SET deletion_at = now() - interval '1 minute' WHERE id = $1", [alice.id]);
    await runCleanup(service);
    expect(await sessionsOf(service, alice)).toBe(0);
    expect(await filesOf(service, alice)).toEqual({ is_erased: true, objects: 0, uploads: 0 });
  });

  test('oauth 3.2 codes for as many ports of a loopback address are invalid after its removal', async () => {
    const alice = await person(service, 'alice');
    const uri = 'http://127.0.0.1/callback';
    const { body: app } = await service
      .as(alice)
      .post('/v1/oauth2/applications', { name: 'native', redirect_uris: [uri] });
    await addRows(
      service,
      MANY,
      `INSERT INTO oauth_code (digest, application_id, account_id, redirect_uri, scopes, consented, announced, expires_at)
       SELECT sha256(('code' || n)::bytea), $1, $2, 'http://127.0.0.1:' || n || '/callback', '{identify}', true, false,
         now() + interval '10 minutes'`,
      [app.id, alice.id],
    );
    const { status } = await service.as(alice).patch(`/v1/oauth2/applications/${app.id}`, { redirect_uris: [] });
    expect(status).toBe(200);
    expect(await service.sql('SELECT 1 FROM oauth_code WHERE application_id = $1', [app.id])).toEqual([]);
  });
});
