import { randomBytes } from 'node:crypto';
import { MailDomains } from '../../src/platform/mail/mail-domains.js';
import { EmailedCodes } from '../../src/users/contact/emailed-codes.service.js';
import { newEmailContext } from '../../src/users/contact/new-email-addresses.service.js';
import { superuser } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  inboxOf,
  mailTo,
  type Persona,
  passkeySudo,
  person,
  type TestResponse,
  verifyEmail,
  withGatehouse,
  withPasskey,
  withTotp,
} from '../support/index.js';

const CHALLENGE = '/v1/users/@me/mfa/backup-codes/challenge';
const PASSWORD_CHANGE = '/v1/users/@me/password-change';
const DISABLE = '/v1/users/@me/mfa/totp/disable';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

async function verified(name: string): Promise<Persona> {
  const persona = await person(service, name);
  await verifyEmail(service, persona);
  return persona;
}

/** Asserts the shape of conventions.md 7.2. The response names the wait and the allowance, but no bucket of a route. */
function expectSpent(response: TestResponse, limit: number): void {
  expectApiError(response, 'RATE_LIMITED', { global: false, retry_after: expect.any(Number) });
  const header = (name: string) => response.headers.get(name);
  expect(header('retry-after')).toBe(String(Math.max(1, Math.ceil(response.body.retry_after))));
  expect([header('x-ratelimit-scope'), header('x-ratelimit-limit')]).toEqual(['user', String(limit)]);
  expect(header('x-ratelimit-remaining')).toBe('0');
  expect(response.headers.has('x-ratelimit-bucket')).toBe(false);
}

/** Backdates the last email of a ticket, so that the pause between two emails is over. */
const sentLongAgo = ({ id }: Persona, purpose: string, member: string) =>
  service.sql(
    `UPDATE one_time_secret SET payload = jsonb_set(payload, $3::text[], '"2020-01-01T00:00:00.000Z"')
     WHERE subject = $1 AND purpose = $2`,
    [id, purpose, [member, 'sentAt']],
  );

describe('account.md 1.5 allowances of emailed codes', () => {
  test('a password change starts three times in 15 minutes; the fourth sends no email', async () => {
    const alice = await verified('alice');
    for (let start = 0; start < 3; start++) {
      expect((await service.as(alice).post(`${PASSWORD_CHANGE}/start`)).status).toBe(200);
    }
    expectSpent(await service.as(alice).post(`${PASSWORD_CHANGE}/start`), 3);
    await mailTo(service, alice.email, 'password_change', 3);
    expect(await inboxOf(service, alice.email, 'password_change')).toHaveLength(3);
  });

  test('a backup-code challenge is emailed again once in 30 seconds and three times in 15 minutes', async () => {
    const alice = await verified('alice');
    await withTotp(service, alice);
    const { ticket } = (await service.as(alice).post(CHALLENGE)).body;
    const resend = () => service.as(alice).post(`${CHALLENGE}/resend`, { ticket });
    for (let count = 0; count < 3; count++) {
      expectApiError(await resend(), 'RATE_LIMITED');
      await sentLongAgo(alice, 'backup-codes-challenge', 'lastSent');
      expect((await resend()).status).toBe(204);
    }
    await sentLongAgo(alice, 'backup-codes-challenge', 'lastSent');
    expectSpent(await resend(), 3);
  });

  test('one challenge allows five regenerations, and the sixth changes nothing', async () => {
    const alice = await verified('alice');
    await withTotp(service, alice);
    const { ticket } = (await service.as(alice).post(CHALLENGE)).body;
    const { code } = (await mailTo(service, alice.email, 'backup_codes_challenge')).metadata;
    const { verification_proof } = (await service.as(alice).post(`${CHALLENGE}/verify`, { ticket, code })).body;
    const regenerate = () => service.as(alice).post(`${CHALLENGE}/regenerate`, { ticket, verification_proof });
    for (let count = 0; count < 5; count++) expect((await regenerate()).status).toBe(200);
    const digests = () => service.sql('SELECT digest FROM backup_code WHERE account_id = $1', [alice.id]);
    const before = await digests();
    expectSpent(await regenerate(), 5);
    expect(await digests()).toEqual(before);
  });
});

describe('account.md 1.5 the allowance of a recipient', () => {
  const CHANGE = '/v1/users/@me/email-change';
  const stranger = () => `Stranger.${randomBytes(6).toString('hex')}@Example.com`;
  const SHAPE = {
    ...{ ticket: expect.any(String), new_code_expires_at: expect.any(String), resend_available_at: expect.any(String) },
  };

  /**
   * Requests a code to the email address, with the normal or the bounced procedure. Returns a function that requests it
   * again with the same ticket.
   */
  async function ask(who: string | Persona, address: string, isBounced: boolean) {
    const persona = typeof who === 'string' ? await verified(who) : who;
    let response: TestResponse;
    if (isBounced) {
      await service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [persona.id]);
      response = await service.as(persona).post(`${CHANGE}/bounced/request-new`, { new_email: address });
    } else {
      await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [persona.id]);
      const { ticket, original_proof } = (await service.as(persona).post(`${CHANGE}/start`)).body;
      const request = { ticket, original_proof, new_email: address };
      response = await service.as(persona).post(`${CHANGE}/request-new`, request);
    }
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: { ...SHAPE, new_email: address },
    });
    const { ticket } = response.body;
    const resend = async () => {
      await sentLongAgo(persona, isBounced ? 'bounced-email-change' : 'email-change', 'fresh');
      return service.as(persona).post(`${CHANGE}/${isBounced ? 'bounced/' : ''}resend-new`, { ticket });
    };
    return { persona, ticket, resend };
  }

  test('an external recipient gets five codes in 15 minutes from all callers; further requests are answered as if sent', async () => {
    const address = stranger();
    const requested = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ask(`asker${n}`, [address, address.toLowerCase(), address.toUpperCase()][n % 3] as string, n % 2 === 1),
      ),
    );
    for (const { resend } of requested.slice(0, 4)) expect((await resend()).status).toBe(204);
    const mailed = (await inboxAfterDelivery(service, address)).map(({ metadata }) => metadata.code as string);
    expect(mailed).toHaveLength(5);
    // An email that was only reported as sent has no code, so none of the received codes confirms it. Another email
    // address has its own allowance.
    const codes = service.app.get(EmailedCodes);
    const opening = requested.map(async ({ persona, ticket }) => {
      const [row] = await service.sql(
        `SELECT payload->'fresh' AS sent FROM one_time_secret WHERE subject = $1 AND payload->'fresh' IS NOT NULL`,
        [persona.id],
      );
      const isRight = (code: string) => {
        try {
          codes.assertCorrectCode(row?.sent, new Date(row?.sent.sentAt), newEmailContext(ticket), code);
          return true;
        } catch {
          return false;
        }
      };
      return mailed.filter(isRight);
    });
    const opened = (await Promise.all(opening)).flat();
    expect(opened.length).toBeGreaterThan(0);
    expect(opened).toHaveLength(new Set(opened).size);
    expect((await Promise.all(opening)).filter(({ length }) => length === 0).length).toBeGreaterThanOrEqual(3);
    const other = stranger();
    await ask('last', other, false);
    await mailTo(service, other, 'email_change_new');
  });

  test('an account has five requests of its own, and rejected requests do not charge the recipient', async () => {
    const address = stranger();
    const alice = await person(service, 'alice');
    const { ticket, original_proof } = (await service.as(alice).post(`${CHANGE}/start`)).body;
    const request = (new_email: string) =>
      service.as(alice).post(`${CHANGE}/request-new`, { ticket, original_proof, new_email });
    for (let n = 0; n < 5; n++) {
      expect((await request(stranger())).status).toBe(200);
      await sentLongAgo(alice, 'email-change', 'fresh');
    }
    for (let n = 0; n < 5; n++) expectSpent(await request(address), 5);
    await ask('bob', address, false);
    expect(await inboxAfterDelivery(service, address, 'email_change_new')).toHaveLength(1);
  });

  test('if existing accounts are hidden, the owner of a taken address gets five notices, and the caller sees no difference', async () => {
    await withGatehouse({}, async (hidden) => {
      const outer = service;
      service = hidden;
      try {
        const owner = await verified('owner');
        const askers = await Promise.all(Array.from({ length: 7 }, (_, n) => verified(`asker${n}`)));
        const changed = await hidden
          .as(await superuser(hidden))
          .patch('/v1/admin/instance/config', { registration: { hide_existing_accounts: true } });
        expect(changed.status).toBe(200);
        await Promise.all(askers.map((asker, n) => ask(asker, owner.email, n % 2 === 1)));
        const notices = await inboxAfterDelivery(hidden, owner.email, 'registration_existing_account');
        expect(notices).toHaveLength(5);
      } finally {
        service = outer;
      }
    });
  });
});

describe('account.md 1.5 the allowance of sudo', () => {
  test('the code of TOTP disable is counted also; after ten attempts a correct code fails, and a passkey still works', async () => {
    const alice = await verified('alice');
    const { authenticator } = await withTotp(service, alice);
    const key = await withPasskey(service, alice, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    const disable = async (code: string) =>
      service.as(alice).post(DISABLE, { code, ...(await passkeySudo(service, alice, key)) });
    for (let attempt = 0; attempt < 10; attempt++) expectInvalid(await disable('000000'), 'code: INVALID_CODE');
    expectInvalid(await disable(authenticator.next()), 'code: INVALID_CODE');
    const typed = { session_id_hashes: [], mfa_method: 'totp', mfa_code: authenticator.next() };
    expectInvalid(await service.as(alice).post('/v1/auth/sessions/logout', typed), 'mfa_code: INVALID_MFA_CODE');
    const proven = { session_id_hashes: [], ...(await passkeySudo(service, alice, key)) };
    expect((await service.as(alice).post('/v1/auth/sessions/logout', proven)).status).toBe(204);
    expect((await service.as(alice).get('/v1/users/@me')).body.authenticator_types).toEqual([0]);
  });

  test('it is separate from the login allowance: after it is spent here, a backup code still works for sign-in', async () => {
    const alice = await verified('alice');
    const { backupCodes } = await withTotp(service, alice);
    const typed = (mfa_code = '') =>
      service.as(alice).post('/v1/auth/sessions/logout', { session_id_hashes: [], mfa_method: 'totp', mfa_code });
    for (let attempt = 0; attempt < 10; attempt++) {
      expectInvalid(await typed('000000'), 'mfa_code: INVALID_MFA_CODE');
    }
    expectInvalid(await typed(backupCodes[0]), 'mfa_code: INVALID_MFA_CODE');
    const { email, password } = alice;
    const { ticket } = (await service.anonymous.post('/v1/auth/login', { email, password })).body;
    const entered = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: backupCodes[0] });
    expect(entered.status).toBe(200);
    expectInvalid(await typed(backupCodes[1]), 'mfa_code: INVALID_MFA_CODE');
  });
});

describe('account.md section 4 with the DNS check on', () => {
  test('a new address whose domain accepts no email is rejected by both procedures, and receives none', async () => {
    await withGatehouse({ env: { EMAIL_DNS_CHECK: 'on' } }, async (checked) => {
      const absent = () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));
      checked.app.get(MailDomains).lookup = {
        resolveMx: async (domain) =>
          domain === 'example.com' ? [{ exchange: 'mail.example.com', priority: 0 }] : absent(),
        resolve4: absent as never,
        resolve6: absent as never,
      };
      const alice = await person(checked, 'alice');
      const { ticket, original_proof } = (await checked.as(alice).post('/v1/users/@me/email-change/start')).body;
      const new_email = 'alice@nowhere.example';
      const request = { ticket, new_email, original_proof };
      const refused = await checked.as(alice).post('/v1/users/@me/email-change/request-new', request);
      expectInvalid(refused, 'new_email: INVALID_EMAIL_ADDRESS');
      await checked.sql('UPDATE account SET email_bounced = true WHERE id = $1', [alice.id]);
      const bounced = await checked.as(alice).post('/v1/users/@me/email-change/bounced/request-new', { new_email });
      expectInvalid(bounced, 'new_email: INVALID_EMAIL_ADDRESS');
      expect(await checked.sql('SELECT 1 FROM outbox WHERE recipient = $1', [new_email])).toEqual([]);
      const present = { ticket, new_email: 'other@example.com', original_proof };
      const taken = await checked.as(alice).post('/v1/users/@me/email-change/request-new', present);
      expect(taken.status).toBe(200);
    });
  });
});
