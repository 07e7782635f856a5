import { MailedTokens } from '../../src/auth/secrets/mailed-tokens.service.js';
import { ApiError, validationError } from '../../src/core/errors.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { codeOf } from '../machine/policies.js';
import {
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  race,
} from '../support/index.js';

const PURPOSE = 'email-verification';
const HOUR = 3600;
const FORM = /^[A-Za-z0-9]{64}$/;
const DELETED_BY_ADMINISTRATOR = 1n << 34n;

let service: Gatehouse;
let tokens: MailedTokens;
beforeAll(async () => {
  service = await gatehouse();
  tokens = service.app.get(MailedTokens);
});
afterAll(() => service.close());

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => service.app.get(Database).transaction(work);
const ownerOf = (id: string) => ({ id, epoch: 0, addressEpoch: 0 });
const issue = (id: string, payload: Record<string, unknown> = {}) =>
  inTransaction((tx) => tokens.issue(tx, PURPOSE, ownerOf(id), payload, HOUR));
const set = (assignment: string, id: string) => service.sql(`UPDATE account SET ${assignment} WHERE id = $1`, [id]);
const issuedTo = (id: string) => service.sql('SELECT purpose FROM one_time_secret WHERE account_id = $1', [id]);

/** Creates an account with an unverified email address, and a token that verifies it. */
async function unverified() {
  const { accountId, applicationId } = await createCredentialSet(service);
  const email = `u${accountId}@example.com`;
  await set(`email = '${email}', email_verified = false`, accountId);
  return { id: accountId, botId: applicationId, email, token: await issue(accountId, { email }) };
}
const isVerified = async (id: string) =>
  (await service.sql('SELECT email_verified FROM account WHERE id = $1', [id]))[0]?.email_verified;
const verify = (token: string) => service.anonymous.post('/v1/auth/verify', { token });

const GONE: [what: string, assignment: string][] = [
  ['was deleted', 'deleted_at = now()'],
  ['is to be deleted by an administrator', `flags = ${DELETED_BY_ADMINISTRATOR}`],
];

describe('auth.md 1.7: a token of an emailed link', () => {
  test('is 64 letters and digits, and unique', async () => {
    const { id, token } = await unverified();
    const another = await issue(id);
    expect([token, another]).toEqual([expect.stringMatching(FORM), expect.stringMatching(FORM)]);
    expect(another).not.toBe(token);
    expect(await issuedTo(id)).toEqual([{ purpose: PURPOSE }, { purpose: PURPOSE }]);
  });

  test('is not issued if its transaction fails', async () => {
    const { accountId } = await createCredentialSet(service);
    const failing = inTransaction(async (tx) => {
      await tokens.issue(tx, PURPOSE, ownerOf(accountId), {}, HOUR);
      throw new Error('and back');
    });
    await expect(failing).rejects.toThrow('and back');
    expect(await issuedTo(accountId)).toEqual([]);
  });

  test('works for one of eight parallel requests, and never again', async () => {
    const { id, token } = await unverified();
    const { statuses, of } = await race(8, () => verify(token));
    expect(statuses).toEqual({ 204: 1, 400: 7 });
    for (const response of of(400)) expectInvalid(response, 'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN');
    expectInvalid(await verify(token), 'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN');
    expect(await isVerified(id)).toBe(true);
  });

  test('returns its account and the stored data on each lookup', async () => {
    const { id, email, token } = await unverified();
    for (const _ of [1, 2]) {
      expect(await tokens.find(PURPOSE, token)).toMatchObject({
        account: { id, email },
        issued: { payload: { email } },
      });
    }
    expect(await tokens.find('password-reset', token)).toBeNull();
  });

  test('is unknown if it was never issued', async () => {
    const token = 'x'.repeat(64);
    expectInvalid(await verify(token), 'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN');
    expect(await tokens.find(PURPOSE, token)).toBeNull();
    expect((await service.anonymous.get(`/v1/auth/reset/${token}`)).body).toEqual({ valid: false });
  });

  test.each(GONE)('does nothing for an account that %s', async (_what, assignment) => {
    const { id, token } = await unverified();
    await set(assignment, id);
    expect(await tokens.find(PURPOSE, token)).toBeNull();
    expectInvalid(await verify(token), 'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN');
    expect([await isVerified(id), await issuedTo(id)]).toEqual([false, [{ purpose: PURPOSE }]]);
  });

  test('is rejected for a bot, and not consumed', async () => {
    const { botId } = await unverified();
    const token = await issue(botId);
    expectApiError(await verify(token), 'BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    expect([await isVerified(botId), await issuedTo(botId)]).toEqual([false, [{ purpose: PURPOSE }]]);
  });
});

describe('credentials.md 7: a token that is looked up first and consumed later', () => {
  const unknown = () => validationError('token', 'INVALID_OR_EXPIRED_VERIFICATION_TOKEN');

  /**
   * Creates a token and finds it. The result also contains a function that redeems the token and a list of what was
   * redeemed.
   */
  async function found() {
    const { id, botId, token } = await unverified();
    const held = await tokens.find(PURPOSE, token);
    if (!held) throw new Error('it is live');
    const done: unknown[] = [];
    const redeem = (one = held, work: (tx: Tx) => Promise<void> = async () => {}) =>
      codeOf(() =>
        tokens.redeem(PURPOSE, token, one, unknown, async (tx, { account, issued }) => {
          done.push([account.id, issued.subject]);
          await work(tx);
        }),
      );
    return { id, botId, held, done, redeem };
  }

  test('returns its result, for the present state of the account', async () => {
    const { id, token } = await unverified();
    const held = await tokens.require(PURPOSE, token, unknown);
    await set("global_name = 'another'", id);
    const response = await tokens.redeem(PURPOSE, token, held, unknown, async (tx, { account, issued }) => {
      expect(await tx.query('SELECT 1 FROM one_time_secret WHERE account_id = $1', [id])).toEqual([]);
      return [account.globalName, issued.subject];
    });
    expect([held.account.globalName, response]).toEqual([null, ['another', id]]);
  });

  test('is consumed once', async () => {
    const { id, done, redeem } = await found();
    expect([await redeem(), await redeem()]).toEqual([null, 'INVALID_FORM_BODY']);
    expect([done, await issuedTo(id)]).toEqual([[[id, id]], []]);
  });

  test('is not consumed if its operation is rejected', async () => {
    const { id, redeem } = await found();
    const refuse = () => Promise.reject(new ApiError('ACCESS_DENIED'));
    expect(await redeem(undefined, refuse)).toBe('ACCESS_DENIED');
    expect(await issuedTo(id)).toEqual([{ purpose: PURPOSE }]);
    expect(await redeem()).toBeNull();
  });

  test.each(GONE)('does nothing after its account %s', async (_what, assignment) => {
    const { id, done, redeem } = await found();
    await set(assignment, id);
    expect(await redeem()).toBe('INVALID_FORM_BODY');
    expect([done, await issuedTo(id)]).toEqual([[], [{ purpose: PURPOSE }]]);
  });

  test('does nothing for an account that does not exist', async () => {
    const { id, held, done, redeem } = await found();
    expect(await redeem({ ...held, account: { ...held.account, id: '1' } })).toBe('INVALID_FORM_BODY');
    expect([done, await issuedTo(id)]).toEqual([[], [{ purpose: PURPOSE }]]);
  });

  test('does nothing for a bot, and is not consumed', async () => {
    const { id, botId, held, done, redeem } = await found();
    const refused = await redeem({ ...held, account: { ...held.account, id: botId } });
    expect(refused).toBe('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    expect([done, await issuedTo(id)]).toEqual([[], [{ purpose: PURPOSE }]]);
  });
});
