import { AccountExport } from '../../src/accounts/account-export.service.js';
import {
  expectRefusal,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newHook,
  newTokens,
  person,
  settledInboxOf,
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
  test('hands out as a file what an operator can export, without a secret; noted and mailed', async () => {
    const alice = await person(service, 'alice');
    const app = await newApp(service, alice);
    const hook = await newHook(service, alice);
    const tokens = await newTokens(service, alice, app);
    const answer = await service.as(alice).post(EXPORT, { password: alice.password });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="account.json"');
    const expected = JSON.parse(JSON.stringify(await service.app.get(AccountExport).of(alice.id)));
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(expected).sort());
    expect(answer.body.account).toMatchObject({ id: alice.id, email: alice.email });
    expect(answer.body.security_events).toEqual(expected.security_events);
    expect(answer.body.security_events.at(-1)).toMatchObject({ type: 'data_exported' });
    expect(answer.body.webhooks).toHaveLength(1);
    const secrets = [alice.authorization, alice.password, app.bot, hook.token, ...Object.values(tokens).map(String)];
    for (const secret of secrets.filter(({ length }) => length > 20)) expect(answer.text).not.toContain(secret);
    expect(await noted(alice)).toHaveLength(1);
    expect((await mailTo(service, alice.email, 'security_notice')).metadata.event).toBe('data_exported');
  });

  test('without sudo, for a bot or an application nothing leaves and nothing is noted', async () => {
    const alice = await person(service, 'alice');
    const app = await newApp(service, alice);
    const { access_token } = await newTokens(service, alice, app);
    expectRefusal(await service.as(alice).post(EXPORT), 'SUDO_MODE_REQUIRED');
    expectRefusal(await service.as(app.bot).post(EXPORT), 'ACCESS_DENIED');
    expectRefusal(await service.as(`Bearer ${access_token}`).post(EXPORT), 'ACCESS_DENIED');
    expectRefusal(await service.anonymous.post(EXPORT), 'UNAUTHORIZED');
    expect(await noted(alice)).toEqual([]);
    expect(await settledInboxOf(service, alice.email, 'security_notice')).toEqual([]);
  });
});
