import { SharedStore } from '../../src/platform/store/shared-store.js';
import {
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  type Persona,
  person,
  race,
  type TestResponse,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const ME = '/v1/users/@me';
const PASSWORD_CHANGE = `${ME}/password-change`;
const EMAIL_CHANGE = `${ME}/email-change`;
const CHALLENGE = `${ME}/mfa/backup-codes/challenge`;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { SMS_TRANSPORT: 'inbox' } });
});
afterAll(() => service.close());

async function verified(name = 'alice'): Promise<Persona> {
  const persona = await person(service, name);
  await verifyEmail(service, persona);
  return persona;
}

let count = 0;
const freshAddress = () => `fresh${++count}.${Date.now()}@example.net`;
const freshNumber = () => `+4930${String(++count).padStart(7, '0')}`;

/** Backdates the last email of each procedure, so that the pause between two emails is over. */
const mailedLongAgo = ({ id }: Persona) =>
  service.sql(
    `UPDATE one_time_secret SET payload = regexp_replace(payload::text, '"sentAt": "[^"]*"', '"sentAt": "2020-01-01T00:00:00.000Z"', 'g')::jsonb
     WHERE subject = $1`,
    [id],
  );

/** Makes the store wait at each in-handler allowance. `reached` resolves at the first one. */
function slowStore() {
  const store = service.app.get(SharedStore);
  const take = store.take.bind(store);
  let [reach, release] = [() => {}, () => {}];
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.take = async (key, ...rest) => {
    if (key.startsWith('allowance/')) {
      reach();
      await released;
    }
    return take(key, ...rest);
  };
  return {
    reached,
    release() {
      store.take = take;
      release();
    },
  };
}

type Operation = (persona: Persona) => Promise<() => Promise<TestResponse>>;

const post =
  (path: string, body?: object): Operation =>
  async (persona) =>
  () =>
    service.as(persona).post(path, body);

const patch =
  (body: (persona: Persona) => object): Operation =>
  async (persona) =>
  () =>
    service.as(persona).patch(ME, body(persona));

const ticketOf = async (persona: Persona, path: string, body?: object): Promise<string> => {
  const response = await service.as(persona).post(path, body);
  expect(response.status).toBe(200);
  await mailedLongAgo(persona);
  return response.body.ticket;
};

/** An operation that requests an email again, with the ticket that the step at `start` returned. */
const resend =
  (start: string, path: string): Operation =>
  async (persona) => {
    const ticket = await ticketOf(persona, start);
    return () => service.as(persona).post(path, { ticket });
  };

/** Starts an email change that needs no confirmation from the current email address. */
async function unconfirmed(persona: Persona) {
  await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [persona.id]);
  return (await service.as(persona).post(`${EMAIL_CHANGE}/start`)).body;
}

const bounced = ({ id }: Persona) =>
  service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [id]);

/** Starts a challenge and reads the code from its email. */
async function challenged(persona: Persona) {
  await withTotp(service, persona);
  const { ticket } = (await service.as(persona).post(CHALLENGE)).body;
  const { code } = (await mailTo(service, persona.email, 'backup_codes_challenge')).metadata;
  return { ticket, code };
}

/** Every operation on a user's own account that has an in-handler allowance. */
const OPERATIONS: Record<string, Operation> = {
  'a change of the profile': patch(() => ({ bio: 'another' })),
  'a rename': patch(({ password }) => ({ username: 'another', password })),
  'a rename of a bot': async (persona) => {
    const { id } = await newApp(service, persona, { name: 'Robot' });
    return () => service.as(persona).patch(`/v1/oauth2/applications/${id}/bot`, { username: 'Droid' });
  },
  'the start of a password change': post(`${PASSWORD_CHANGE}/start`),
  'the resend of a password change': resend(`${PASSWORD_CHANGE}/start`, `${PASSWORD_CHANGE}/resend`),
  'the start of an email change': post(`${EMAIL_CHANGE}/start`),
  'a resend to the present email address': resend(`${EMAIL_CHANGE}/start`, `${EMAIL_CHANGE}/resend-original`),
  'a request for a new email address': async (persona) => {
    const { ticket, original_proof } = await unconfirmed(persona);
    const request = { ticket, original_proof, new_email: freshAddress() };
    return () => service.as(persona).post(`${EMAIL_CHANGE}/request-new`, request);
  },
  'a resend to a new email address': async (persona) => {
    const { ticket, original_proof } = await unconfirmed(persona);
    const request = { ticket, original_proof, new_email: freshAddress() };
    await ticketOf(persona, `${EMAIL_CHANGE}/request-new`, request);
    return () => service.as(persona).post(`${EMAIL_CHANGE}/resend-new`, { ticket });
  },
  'a request in place of a bounced email address': async (persona) => {
    await bounced(persona);
    const request = { new_email: freshAddress() };
    return () => service.as(persona).post(`${EMAIL_CHANGE}/bounced/request-new`, request);
  },
  'a resend in place of a bounced email address': async (persona) => {
    await bounced(persona);
    const path = `${EMAIL_CHANGE}/bounced/request-new`;
    const ticket = await ticketOf(persona, path, { new_email: freshAddress() });
    return () => service.as(persona).post(`${EMAIL_CHANGE}/bounced/resend-new`, { ticket });
  },
  'the start of a backup-code challenge': async (persona) => {
    await withTotp(service, persona);
    return () => service.as(persona).post(CHALLENGE);
  },
  'the resend of a backup-code challenge': async (persona) => {
    const { ticket } = await challenged(persona);
    await mailedLongAgo(persona);
    return () => service.as(persona).post(`${CHALLENGE}/resend`, { ticket });
  },
  'the verification of a backup-code challenge': async (persona) => {
    const entered = await challenged(persona);
    return () => service.as(persona).post(`${CHALLENGE}/verify`, entered);
  },
  'a regeneration of backup codes': async (persona) => {
    const entered = await challenged(persona);
    const { verification_proof } = (await service.as(persona).post(`${CHALLENGE}/verify`, entered)).body;
    const { ticket } = entered;
    return () => service.as(persona).post(`${CHALLENGE}/regenerate`, { ticket, verification_proof });
  },
  'a text message': async (persona) => {
    const phone = freshNumber();
    return () => service.as(persona).post(`${ME}/phone/send-verification`, { phone });
  },
  'a new password': patch(({ password }) => ({ password, new_password: 'an altogether different phrase' })),
};

describe('account.md 1.5 a shared store that does not answer', () => {
  test.each(Object.keys(OPERATIONS))('during %s, other requests of the account are not delayed', async (name) => {
    const persona = await verified();
    const operation = await (OPERATIONS[name] as Operation)(persona);
    const store = slowStore();
    const pending = Promise.resolve(operation());
    try {
      await Promise.race([store.reached, pending]);
      const other = await service.as(persona).patch(ME, { global_name: 'In the meantime' });
      expect({ status: other.status, name: other.body.global_name }).toEqual({ status: 200, name: 'In the meantime' });
    } finally {
      store.release();
    }
    expect([200, 204]).toContain((await pending).status);
  });
});

describe('account.md 2.2 allowances charged first and refunded later', () => {
  const signedIn = (persona: Persona) => service.as(persona);
  const bioOf = async (persona: Persona) => (await signedIn(persona).get(ME)).body.bio;

  test('a value that changed while the store was slow is charged as a change', async () => {
    const alice = await verified();
    const edit = (bio: string) => signedIn(alice).patch(ME, { bio, pronouns: bio });
    expect((await edit('0')).status).toBe(200);
    for (let n = 1; n < 25; n++) {
      const store = slowStore();
      const pending = Promise.resolve(signedIn(alice).patch(ME, { bio: String(n), pronouns: '0' }));
      await Promise.race([store.reached, pending]);
      await service.sql('UPDATE account SET pronouns = $2 WHERE id = $1', [alice.id, `sql ${n}`]);
      store.release();
      expect((await pending).body).toMatchObject({ bio: String(n), pronouns: '0' });
    }
    expectInvalid(await signedIn(alice).patch(ME, { pronouns: 'more' }), 'pronouns: PRONOUNS_CHANGED_TOO_MANY_TIMES');
    expectInvalid(await signedIn(alice).patch(ME, { bio: 'more' }), 'bio: BIO_CHANGED_TOO_MANY_TIMES');
  });

  test('a change that another request made in the meantime is refunded', async () => {
    const alice = await verified();
    for (let n = 0; n < 30; n++) {
      const store = slowStore();
      const pending = Promise.resolve(signedIn(alice).patch(ME, { bio: `same ${n}` }));
      await Promise.race([store.reached, pending]);
      await service.sql('UPDATE account SET bio = $2 WHERE id = $1', [alice.id, `same ${n}`]);
      store.release();
      expect((await pending).status).toBe(200);
    }
    for (let n = 0; n < 25; n++) expect((await signedIn(alice).patch(ME, { bio: `own ${n}` })).status).toBe(200);
    expectInvalid(await signedIn(alice).patch(ME, { bio: 'more' }), 'bio: BIO_CHANGED_TOO_MANY_TIMES');
  });

  test('of 32 parallel changes back and forth, at most 25 are made, and none is free', async () => {
    const alice = await verified();
    const changes = async () =>
      (await service.sql('SELECT count(*)::int AS n FROM bio_change WHERE account_id = $1', [alice.id]))[0]?.n;
    await service.sql('CREATE TABLE bio_change (account_id bigint)');
    await service.sql(
      `CREATE FUNCTION note_bio() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO bio_change VALUES (NEW.id); RETURN NEW; END $$`,
    );
    await service.sql(
      `CREATE TRIGGER note_bio AFTER UPDATE ON account FOR EACH ROW
       WHEN (OLD.bio IS DISTINCT FROM NEW.bio) EXECUTE FUNCTION note_bio()`,
    );
    for (let round = 0; round < 4; round++) {
      const { responses } = await race(32, (n) => signedIn(alice).patch(ME, { bio: n % 2 === 0 ? 'back' : 'forth' }));
      for (const response of responses.filter(({ status }) => status !== 200))
        expectInvalid(response, 'bio: BIO_CHANGED_TOO_MANY_TIMES');
    }
    // A bucket of 25 frees one place every 72 seconds, so the service can accept one more change.
    expect(await changes()).toBeLessThanOrEqual(26);
    expect(await bioOf(alice)).toMatch(/^(?:back|forth)$/);
  });
});
