import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import {
  AdminAcl,
  CurrentIdentity,
  Database,
  RateLimit,
  ReadOnly,
  SecurityEvents,
  type SessionIdentity,
  UserOnly,
} from '../../src/index.js';
import { notes } from '../fixtures/team/feature.js';
import { ModerationModule } from '../fixtures/team/moderation.js';
import { NotesModule } from '../fixtures/team/notes.js';
import { administrator, adminKey, auditOf, setAcls, superuser, withoutAudit } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  person,
  withGatehouse,
} from '../support/index.js';

@Controller('v1/admin/notes')
class ForgetfulController {
  @Post('index')
  @HttpCode(204)
  @AdminAcl('notes:moderate')
  index() {}

  @Post('search')
  @HttpCode(204)
  @AdminAcl('notes:moderate')
  @ReadOnly()
  search() {}
}

@Module({ controllers: [ForgetfulController] })
class ForgetfulModule {}

const SAID = { 'en-US': 'A note was shown to everybody.', de: 'Eine Notiz wurde allen gezeigt.' };

@Controller('v1/note-publications')
class PublishingController {
  constructor(
    private readonly database: Database,
    private readonly events: SecurityEvents,
  ) {}

  @Post()
  @HttpCode(204)
  @UserOnly()
  @RateLimit('notes:publish')
  async publish(@CurrentIdentity() { account }: SessionIdentity) {
    await this.database.transaction((tx) =>
      this.events.record(tx, { accountId: account.id, type: 'notes_published', data: { notes: 1 } }),
    );
  }
}

@Module({ controllers: [PublishingController] })
class PublishingModule {}

const WORDS = { 'en-US': 'Remove notes of others', de: 'Notizen anderer entfernen' };
const team = { features: [notes], modules: [NotesModule, ModerationModule, PublishingModule] };

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse(team);
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

describe('ACLs of an extension', () => {
  test('are at the end of the registry, with their texts', async () => {
    const { body } = await service.as(await administrator(service)).get('/v1/admin/acls');
    expect(body.acls.at(-1)).toBe('notes:moderate');
    expect(body.words).toEqual({ 'notes:moderate': WORDS });
    expect(body.audit_actions).toMatchObject({ set_acls: 'user', 'notes:remove': 'note' });
  });

  test('are granted to accounts and keys, and required by their operations', async () => {
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (1, $1), (2, $1)', [alice.id]);
    const boss = await superuser(service);
    const clerk = await administrator(service, 'admin_api_key:manage');
    const remove = (who: { authorization: string }, id: number) => service.as(who).delete(`/v1/admin/notes/${id}`);
    await withoutAudit(service, async () => expectApiError(await remove(clerk, 1), 'MISSING_ACL'));
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '1' }, { id: '2' }]);
    const { status } = await service.as(boss).put(`/v1/admin/users/${clerk.id}/acls`, {
      acls: ['admin:authenticate', 'admin_api_key:manage', 'notes:moderate'],
    });
    expect(status).toBe(200);
    expect((await remove(clerk, 1)).status).toBe(204);
    expectApiError(await remove(await adminKey(service, clerk), 2), 'MISSING_ACL');
    expect((await remove(await adminKey(service, clerk, 'notes:moderate'), 2)).status).toBe(204);
    expect(await service.sql('SELECT id FROM notes')).toEqual([]);
  });
});

describe('Admin operations of an extension', () => {
  test('write an entry with actor, action, target and reason in their own transaction', async () => {
    const clerk = await administrator(service, 'notes:moderate', 'audit_log:view');
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (3, $1)', [alice.id]);
    const headers = { 'x-audit-log-reason': 'spam', 'x-request-id': 'removal-3' };
    expect((await service.as(clerk).with(headers).delete('/v1/admin/notes/3')).status).toBe(204);
    const { body } = await service
      .as(clerk)
      .get('/v1/admin/audit-logs', { query: { action: 'notes:remove', limit: '1' } });
    expect(body.logs).toEqual([
      expect.objectContaining({
        ...{ admin_user_id: clerk.id, action: 'notes:remove', target_type: 'note', target_id: '3', target_user: null },
        ...{ audit_log_reason: 'spam', request_id: 'removal-3', metadata: { owner_id: alice.id } },
      }),
    ]);
  });

  test('an operation without an entry is an error in the log and in the test kit; a read is not', async () => {
    let log: string[] = [];
    const visits = withGatehouse({ features: [notes], modules: [ForgetfulModule] }, async (forgetful) => {
      const clerk = await administrator(forgetful, 'notes:moderate');
      const outsider = await administrator(forgetful);
      expect((await forgetful.as(clerk).post('/v1/admin/notes/search')).status).toBe(204);
      expectApiError(await forgetful.as(outsider).post('/v1/admin/notes/index'), 'MISSING_ACL');
      expect(
        (await forgetful.as(clerk).with({ 'x-request-id': 'forgotten' }).post('/v1/admin/notes/index')).status,
      ).toBe(204);
      log = forgetful.log;
    });
    await expect(visits).rejects.toThrow('an administrator operation wrote no audit log entry');
    const lines = log.filter((line) => line.includes('wrote no audit log entry')).map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({ level: 50, method: 'POST', route: '/v1/admin/notes/index', request_id: 'forgotten' }),
    ]);
  });

  test('a late rejection rolls back, and leaves no entry', async () => {
    const clerk = await administrator(service, 'notes:moderate');
    const boss = await person(service, 'boss');
    await setAcls(service, boss, ['audit_log:view']);
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (4, $1), (5, 17)', [boss.id]);
    const remove = (id: number) => () => service.as(clerk).delete(`/v1/admin/notes/${id}`);
    expectApiError(await withoutAudit(service, remove(4)), 'MISSING_ACL');
    expectApiError(await withoutAudit(service, remove(5)), 'UNKNOWN_USER');
    expectApiError(await withoutAudit(service, remove(6)), 'NOT_FOUND');
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '4' }, { id: '5' }]);
    expect((await auditOf(service, 'notes:remove')).filter(({ admin_user_id }) => admin_user_id === clerk.id)).toEqual(
      [],
    );
  });
});

describe('security events of an extension', () => {
  test('are shown only to their account, with their texts', async () => {
    const kim = await person(service, 'kim');
    expect((await service.as(kim).post('/v1/note-publications')).status).toBe(204);
    const reported = async (who: Persona) =>
      (await service.as(who).get('/v1/users/@me/security-events')).body.filter(
        ({ type }: { type: string }) => type === 'notes_published',
      );
    expect(await reported(kim)).toEqual([expect.objectContaining({ data: { notes: 1 }, words: SAID, client: null })]);
    expect(await reported(alice)).toEqual([]);
  });
});

describe('scopes, codes and buckets of an extension', () => {
  const write = (words: string) => service.as(alice).post('/v1/notes', { words });

  test('a scope allows access tokens on its route, and its text is published', async () => {
    const app = await newApp(service, alice);
    const bearer = async (scope: string) => `Bearer ${(await newTokens(service, alice, app, scope)).access_token}`;
    const reading = service.as(await bearer('notes.read'));
    expect((await reading.get('/v1/notes')).body).toEqual({ notes: [] });
    expectApiError(await service.as(await bearer('identify')).get('/v1/notes'), 'MISSING_OAUTH_SCOPE');
    const { body } = await service.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.scope_descriptions['notes.read'].de).toBe('Ihre Notizen lesen');
  });

  test('its codes are returned with their status and message', async () => {
    expectInvalid(await write('LOUD'), 'words: NOTES_SHOUTED');
    for (const count of [1, 2]) expect((await write('quiet')).body).toEqual({ count });
    const { status, body } = await write('quiet');
    expect([status, body]).toEqual([409, { code: 'NOTES_FULL', message: 'There is no room for another note.' }]);
    expect((await service.as(alice).get('/v1/notes')).body.notes).toHaveLength(2);
  });

  test('its bucket applies', () =>
    withGatehouse({ ...team, env: { RATE_LIMITS: 'on' } }, async (limited) => {
      const bob = await person(limited, 'bob');
      const tell = () => limited.as(bob).post('/v1/notes', { words: 'LOUD' });
      for (let n = 0; n < 30; n++) expectInvalid(await tell(), 'words: NOTES_SHOUTED');
      expectApiError(await tell(), 'RATE_LIMITED');
    }));
});
