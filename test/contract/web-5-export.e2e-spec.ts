import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AccountExport } from '../../src/accounts/account-export.service.js';
import { Database } from '../../src/platform/database/database.js';
import { testOnPostgres } from '../machine/postgres.js';
import { setAcls } from '../support/admin.js';
import {
  eventually,
  expectApiError,
  exportAccount,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  mailTo,
  newApp,
  newTokens,
  newWebhook,
  person,
  signIn,
  sudoProof,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

const EXPORT = '/v1/users/@me/export';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const noted = ({ id }: { id: string }) =>
  service.sql("SELECT 1 FROM security_event WHERE account_id = $1 AND type = 'data_exported'", [id]);

describe('web.md 5: POST /v1/users/@me/export', () => {
  test("returns the same data as the operator's export, without a secret; it is recorded and emailed", async () => {
    const alice = await verifiedPerson(service, 'alice');
    const app = await newApp(service, alice);
    const hook = await newWebhook(service, alice);
    const tokens = await newTokens(service, alice, app);
    const response = await service.as(alice).post(EXPORT, { password: alice.password });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="account.json"');
    const expected = await exportAccount(service, alice);
    expect(Object.keys(response.body)).toEqual(Object.keys(expected).filter((name) => name !== 'audit_by_account'));
    expect(response.body.account).toMatchObject({ id: alice.id, email: alice.email });
    expect(response.body.security_events).toEqual(expected.security_events);
    expect(response.body.security_events.at(-1)).toMatchObject({ type: 'data_exported' });
    expect(response.body.webhooks).toHaveLength(1);
    const secrets = [alice.authorization, alice.password, app.bot, hook.token, ...Object.values(tokens).map(String)];
    for (const secret of secrets.filter(({ length }) => length > 20)) expect(response.text).not.toContain(secret);
    expect(await noted(alice)).toHaveLength(1);
    expect((await mailTo(service, alice.email, 'security_notice')).metadata.event).toBe('data_exported');
  });

  test('without sudo, or for a bot or an application, nothing is returned or recorded', async () => {
    const alice = await person(service, 'alice');
    const app = await newApp(service, alice);
    const { access_token } = await newTokens(service, alice, app);
    expectApiError(await service.as(alice).post(EXPORT), 'SUDO_MODE_REQUIRED');
    expectApiError(await service.as(app.bot).post(EXPORT), 'ACCESS_DENIED');
    expectApiError(await service.as(`Bearer ${access_token}`).post(EXPORT), 'ACCESS_DENIED');
    expectApiError(await service.anonymous.post(EXPORT), 'UNAUTHORIZED');
    expect(await noted(alice)).toEqual([]);
    expect(await inboxAfterDelivery(service, alice.email, 'security_notice')).toEqual([]);
  });

  test('includes audit entries that changed the account: no reason, no lookup, and nothing about other users', async () => {
    const [root, alice, bob] = [
      await person(service, 'root'),
      await person(service, 'alice'),
      await person(service, 'bob'),
    ];
    await setAcls(service, root, ['*']);
    const by = service.as(root).with({ 'x-audit-log-reason': 'a private remark' });
    const user = `/v1/admin/users/${alice.id}`;
    for (const path of ['/sessions', '/networks', '/webauthn-credentials']) await by.get(user + path).expect(200);
    await by.put(`${user}/ban`, { duration_hours: 1, reason: 'a public reason' }).expect(200);
    await by.delete(`${user}/ban`).expect(200);
    await setAcls(service, alice, ['*']);
    const mine = service.as(await signIn(service, alice));
    await mine.put(`/v1/admin/users/${bob.id}/traits`, { traits: [] }).expect(200);
    const { body, text } = await mine.post(EXPORT, { password: alice.password }).expect(200);
    expect(body.audit_of_account.map(({ action }: { action: string }) => action)).toEqual(['temp_ban', 'unban']);
    expect(body.audit_of_account[0]).toEqual({
      action: 'temp_ban',
      metadata: { duration_hours: '1', banned_until: expect.any(String) },
      created_at: expect.any(String),
    });
    for (const hidden of ['remark', root.id, bob.id, 'list_user_sessions']) expect(text).not.toContain(hidden);
    const whole = await exportAccount(service, alice);
    expect(JSON.stringify(whole.audit_of_account)).toContain('a private remark');
    expect(whole.audit_by_account).toEqual([expect.objectContaining({ target_id: bob.id })]);
    // The banned user may see the reason for the ban (admin.md section 5.3).
    expect(text).toContain('a public reason');
  });

  describe('while exports are sent', () => {
    const held: Socket[] = [];
    afterEach(() => {
      for (const socket of held.splice(0)) socket.destroy();
    });

    /** Creates a user whose export is too large for the buffers of an unread connection. */
    async function rich(name: string) {
      const owner = await person(service, name);
      const hook = await newWebhook(service, owner);
      await service.sql(
        `INSERT INTO webhook_message (id, webhook_id, username, content, expires_at)
         SELECT $1::bigint + n, $1, 'big', repeat('x', 2000), now() + interval '1 day' FROM generate_series(1, 8000) n`,
        [hook.id],
      );
      return owner;
    }

    /** Requests the exports of these users on one connection. Reads only the beginning of the first response. */
    async function hold(...owners: readonly { authorization: string; password: string }[]): Promise<Socket> {
      const socket = connect(service.port, '127.0.0.1');
      held.push(socket);
      for (const { authorization, password } of owners) {
        const body = JSON.stringify({ password });
        const head = [
          ...[`POST ${EXPORT} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`],
          ...['Content-Type: application/json', `Content-Length: ${body.length}`],
        ];
        socket.write([...head, '', body].join('\r\n'));
      }
      const [first] = await once(socket, 'data');
      socket.pause();
      expect(String(first)).toMatch(/^HTTP\/1.1 200 /);
      return socket;
    }

    test('one runs per account and two per process; a rejected one leaves no trace', async () => {
      const [alice, bob, carol] = [await rich('alice'), await rich('bob'), await person(service, 'carol')];
      const [first] = [await hold(alice), await hold(bob)];
      for (const refused of [alice, carol]) {
        const response = await service.as(refused).post(EXPORT, { password: refused.password });
        expectApiError(response, 'RATE_LIMITED');
        expect(response.body).toMatchObject({ global: false, retry_after: 30 });
        expect(response.headers.get('retry-after')).toBe('30');
      }
      expect([await noted(alice), await noted(carol)]).toEqual([[expect.anything()], []]);
      expect(await inboxAfterDelivery(service, carol.email, 'security_notice')).toEqual([]);
      first.destroy();
      await eventually('the place of who left', async () =>
        (await service.as(carol).post(EXPORT, { password: carol.password })).status === 200 ? true : undefined,
      );
    });

    test('a connection that ends frees its place and that of the export pipelined after it', async () => {
      const [alice, bob] = [await rich('alice'), await rich('bob')];
      const socket = await hold(alice, bob);
      await eventually('the second export', async () => ((await noted(bob)).length === 1 ? true : undefined));
      expectApiError(await service.as(bob).post(EXPORT, { password: bob.password }), 'RATE_LIMITED');
      socket.destroy();
      await eventually('both places', async () => {
        const responses = await Promise.all(
          [alice, bob].map((one) => service.as(one).post(EXPORT, { password: one.password })),
        );
        return responses.every(({ status }) => status === 200) ? true : undefined;
      });
    });

    test('of 32 parallel exports of an account, each is sent completely or rejected without a trace', async () => {
      const alice = await person(service, 'alice');
      const { authenticator } = await withTotp(service, alice);
      // A sudo proof can be used any number of times, but only a few passwords are checked at a time.
      const client = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
      const responses = await Promise.all(Array.from({ length: 32 }, () => client.post(EXPORT)));
      const sent = responses.filter(({ status }) => status === 200);
      for (const { body } of sent) expect(body.account.id).toBe(alice.id);
      for (const response of responses.filter(({ status }) => status !== 200)) expectApiError(response, 'RATE_LIMITED');
      expect(sent.length).toBeGreaterThan(0);
      expect(await noted(alice)).toHaveLength(sent.length);
    });

    testOnPostgres('an export on another replica counts', async () => {
      const alice = await person(service, 'alice');
      await service.app.get(Database).transaction(async (tx) => {
        await service.app.get(AccountExport).lockOrThrow(tx, alice.id);
        expectApiError(await service.as(alice).post(EXPORT, { password: alice.password }), 'RATE_LIMITED');
      });
      expect(await noted(alice)).toEqual([]);
      await service.as(alice).post(EXPORT, { password: alice.password }).expect(200);
    });
  });
});
