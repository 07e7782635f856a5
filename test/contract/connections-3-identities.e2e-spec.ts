import { randomBytes } from 'node:crypto';
import { CONNECTIONS, connect, IDENTITIES, newNonce, signInWith, startLink } from '../machine/connections.js';
import {
  administrator,
  auditOf,
  environmentOf,
  eraseAccount,
  expectApiError,
  expectInvalid,
  exportAccount,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  race,
  ScriptedProvider,
  signIn,
  sudoProof,
  superuser,
  verifiedPerson,
  withTotp,
} from '../support/index.js';
import { json } from '../support/sso.js';

let provider: ScriptedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouse({ env: environmentOf(provider) });
  provider.seconds = () => service.clock.seconds();
  root = await superuser(service);
  await connect(service, root, provider);
  await connect(service, root, provider, { id: 'second', display_name: 'Second' });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const subject = () => randomBytes(8).toString('hex');
const linksOf = ({ id }: { id: string }) =>
  service.sql('SELECT connection_id, subject FROM connection_identity WHERE account_id = $1 ORDER BY id', [id]);
const epochOf = async ({ id }: { id: string }) =>
  (await service.sql('SELECT epoch FROM account WHERE id = $1', [id]))[0]?.epoch;
const listOf = async (client: ReturnType<Gatehouse['as']>) =>
  (await client.get(IDENTITIES).expect(200)).body.identities;

async function withoutEffect(account: { id: string }, refused: () => Promise<void>): Promise<void> {
  const state = async () => [await linksOf(account), await epochOf(account)];
  const before = await state();
  await refused();
  expect(await state()).toEqual(before);
}

/** Links an identity of a connection to the account of a persona. */
async function link(alice: Persona, claims: Record<string, unknown> = {}, connectionId = 'corp') {
  const client = service.as(alice);
  return client.post(
    `${IDENTITIES}/complete`,
    await startLink(client, alice.password, provider, { sub: subject(), ...claims }, connectionId),
  );
}

/** Signs up with a connection. The account has no other way to sign in. */
async function signedUp() {
  const sub = subject();
  const { body } = await signInWith(service, provider, { sub });
  return { id: body.user_id as string, client: service.as(body.token), sub };
}

describe('connections.md section 3: own identities', () => {
  test('an identity is linked and listed, with a notice, an event and a new epoch', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const epoch = await epochOf(alice);
    const sub = subject();
    const { status, body } = await link(alice, { sub, email: 'alice@corp.example.com' });
    const view = {
      ...{ id: expect.stringMatching(/^\d+$/), connection_id: 'corp', display_name: 'Corp' },
      ...{ email: 'alice@corp.example.com', linked_at: expect.any(String), last_used_at: expect.any(String) },
    };
    expect([status, body]).toEqual([200, view]);
    expect(await listOf(service.as(alice))).toEqual([body]);
    expect(await epochOf(alice)).toBe(epoch + 1);
    expect((await mailTo(service, alice.email, 'security_notice')).metadata.event).toBe('identity_linked');
    const { body: seen } = await service.as(alice).get('/v1/users/@me/security-events').expect(200);
    expect(JSON.stringify(seen)).toContain('identity_linked');
    // The identity signs in, whatever its email address.
    expect((await signInWith(service, provider, { sub })).body.user_id).toBe(alice.id);
  });

  test('start requires sudo mode, a known connection and nonce_hash; single sign-on cannot be linked', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { nonce_hash } = newNonce();
    const start = (body: Record<string, unknown>) => service.as(alice).post(`${IDENTITIES}/start`, body);
    expectApiError(await start({ connection_id: 'corp', nonce_hash }), 'SUDO_MODE_REQUIRED', {
      has_mfa: false,
      methods: expect.anything(),
    });
    const { password } = alice;
    expectInvalid(await start({ connection_id: 'corp', password }), 'nonce_hash: INVALID_FORMAT');
    for (const id of ['unknown', 'sso'])
      expectApiError(await start({ connection_id: id, nonce_hash, password }), 'UNKNOWN_CONNECTION');
  });

  test('an identity of another account, and a second one of a connection, are not linked', async () => {
    const [alice, bob] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'bob')];
    const sub = subject();
    expect((await link(alice, { sub })).status).toBe(200);
    await withoutEffect(bob, async () => expectInvalid(await link(bob, { sub }), 'code: SSO_IDENTITY_MISMATCH'));
    await withoutEffect(alice, async () => expectInvalid(await link(alice), 'code: SSO_IDENTITY_MISMATCH'));
    expect((await link(alice, {}, 'second')).status).toBe(200);
  });

  test('the state works only for the session that started it, and only while the epoch is the same', async () => {
    const [alice, bob] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'bob')];
    const client = service.as(alice);
    const started = () => startLink(client, alice.password, provider, { sub: subject() });
    const fault = 'state: INVALID_OR_EXPIRED_SSO_STATE';
    await withoutEffect(bob, async () =>
      expectInvalid(await service.as(bob).post(`${IDENTITIES}/complete`, await started()), fault),
    );
    const otherSession = service.as(await signIn(service, alice));
    await withoutEffect(alice, async () =>
      expectInvalid(await otherSession.post(`${IDENTITIES}/complete`, await started()), fault),
    );
    const body = await started();
    await service.sql('UPDATE account SET epoch = epoch + 1 WHERE id = $1', [alice.id]);
    await withoutEffect(alice, async () => {
      expect((await client.post(`${IDENTITIES}/complete`, body)).status).toBeGreaterThanOrEqual(400);
    });
    // A state of a sign-in links nothing.
    const anonymous = await service.anonymous.post('/v1/auth/connections/corp/start', {
      nonce_hash: newNonce().nonce_hash,
    });
    await withoutEffect(bob, async () =>
      expectInvalid(
        await service.as(bob).post(`${IDENTITIES}/complete`, {
          ...{ code: provider.visit(anonymous.body.authorization_url), state: anonymous.body.state, nonce: 'n' },
        }),
        fault,
      ),
    );
  });

  test('an identity is unlinked in sudo mode, with a notice, an event and a new epoch', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { body } = await link(alice);
    const client = service.as(alice);
    expectApiError(await client.delete(`${IDENTITIES}/${body.id}`), 'SUDO_MODE_REQUIRED', {
      has_mfa: false,
      methods: expect.anything(),
    });
    const unlink = (id: string, { password } = alice) => client.delete(`${IDENTITIES}/${id}`, { password });
    expectApiError(await unlink('1501314428688998182'), 'UNKNOWN_IDENTITY');
    const epoch = await epochOf(alice);
    await unlink(body.id).expect(204);
    expect([await linksOf(alice), await epochOf(alice)]).toEqual([[], epoch + 1]);
    expect((await mailTo(service, alice.email, 'security_notice', 2)).metadata.event).toMatch(/identity_/);
    expectApiError(await unlink(body.id), 'UNKNOWN_IDENTITY');
    const [row] = await service.sql('SELECT traits FROM account WHERE id = $1', [alice.id]);
    expect(row?.traits).not.toContain('connection');
  });

  test('an identity of another account is unknown', async () => {
    const [alice, bob] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'bob')];
    const { body } = await link(alice);
    await withoutEffect(alice, async () =>
      expectApiError(
        await service.as(bob).delete(`${IDENTITIES}/${body.id}`, { password: bob.password }),
        'UNKNOWN_IDENTITY',
      ),
    );
  });
});

describe('credentials.md section 7: a completion', () => {
  test('links nothing if its session ends while the provider answers', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const later = service.as(await signIn(service, alice));
    const again = await startLink(later, alice.password, provider, { sub: subject() });
    provider.overrides.keys = async (_req, res) => {
      await later.post('/v1/auth/logout').expect(204);
      json(res, 200, { keys: provider.keys.map(({ jwk }) => jwk) });
    };
    await service.sql('DELETE FROM sso_document');
    await withoutEffect(alice, async () =>
      expectApiError(await later.post(`${IDENTITIES}/complete`, again), 'UNAUTHORIZED'),
    );
    provider.reset();
  });
});

describe('connections.md section 3: the last way to sign in', () => {
  /** Returns a client in sudo mode of an account that has only these identities. */
  async function withoutPassword(...connectionIds: string[]) {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const client = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
    for (const id of connectionIds) {
      const sudo = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
      const body = await startLink(sudo, '', provider, { sub: subject() }, id);
      await client.post(`${IDENTITIES}/complete`, body).expect(200);
    }
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [alice.id]);
    const sudo = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
    return { alice, sudo, identities: await listOf(service.as(alice)) };
  }

  test('it cannot be removed, not even by one of a disabled connection', async () => {
    const { alice, sudo, identities } = await withoutPassword('corp', 'second');
    await service.as(root).patch(`${CONNECTIONS}/second`, { enabled: false }).expect(200);
    await withoutEffect(alice, async () =>
      expectApiError(await sudo.delete(`${IDENTITIES}/${identities[0].id}`), 'LAST_SIGN_IN_METHOD'),
    );
    await service.as(root).patch(`${CONNECTIONS}/second`, { enabled: true }).expect(200);
    await sudo.delete(`${IDENTITIES}/${identities[0].id}`).expect(204);
    expect(await linksOf(alice)).toEqual([expect.objectContaining({ connection_id: 'second' })]);
  });

  test('of 32 parallel calls that unlink two identities, one succeeds', async () => {
    const { alice, sudo, identities } = await withoutPassword('corp', 'second');
    const { of } = await race(32, (n) => sudo.delete(`${IDENTITIES}/${identities[n % 2].id}`));
    expect(of(204)).toHaveLength(1);
    expect(await linksOf(alice)).toHaveLength(1);
  });
});

describe('connections.md section 3: races', () => {
  test('32 parallel completions with different identities link one', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const client = service.as(alice);
    const proof = await client.post(`${IDENTITIES}/start`, {
      ...{ connection_id: 'corp', nonce_hash: newNonce().nonce_hash, password: alice.password },
    });
    const sudo = client.sudo(proof.headers.get('x-service-sudo-mode-jwt') ?? '');
    const bodies: Record<string, unknown>[] = [];
    for (let n = 0; n < 32; n++) bodies.push(await startLink(sudo, alice.password, provider, { sub: subject() }));
    const { of } = await race(32, (n) => client.post(`${IDENTITIES}/complete`, bodies[n]));
    expect(of(200)).toHaveLength(1);
    expect(await linksOf(alice)).toHaveLength(1);
  });
});

describe('identities elsewhere', () => {
  test('a lockdown with sudo removes them, and one without keeps them', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await link(alice);
    await service.as(alice).post('/v1/users/@me/lockdown', {}).expect(200);
    expect(await linksOf(alice)).toHaveLength(1);
    const client = service.as(await signIn(service, alice));
    await client.post('/v1/users/@me/lockdown', { password: alice.password, include: ['bot_tokens'] }).expect(200);
    expect(await linksOf(alice)).toEqual([]);
  });

  test('are part of the export, and are deleted with the account', async () => {
    const { id, sub } = await signedUp();
    const { connection_identities: exported } = await exportAccount(service, { id });
    expect(exported).toEqual([
      expect.objectContaining({ connection_id: 'corp', issuer: provider.issuer, subject: sub }),
    ]);
    await eraseAccount(service, { id });
    expect(await linksOf({ id })).toEqual([]);
  });

  test('the list of accounts finds them by connection', async () => {
    const { id } = await signedUp();
    const list = (provider: string) => service.as(root).get(`/v1/admin/users?provider=${provider}&limit=100`);
    const ids = (await list('corp').expect(200)).body.users.map((user: { id: string }) => user.id);
    expect(ids).toContain(id);
    expect((await list('unknown').expect(200)).body.users).toEqual([]);
  });

  test('deleting a connection removes them, if the administrator knows their number', async () => {
    await connect(service, root, provider, { id: 'gone', display_name: 'Gone' });
    const { body } = await signInWith(service, provider, { sub: subject() }, { id: 'gone' });
    const remove = (identities: number) => service.as(root).delete(`${CONNECTIONS}/gone`, { identities });
    expectInvalid(await remove(0), 'identities: INVALID_FORMAT');
    expect(await linksOf({ id: body.user_id })).toHaveLength(1);
    await remove(1).expect(204);
    expect(await linksOf({ id: body.user_id })).toEqual([]);
    expectApiError(await service.as(root).get(`${CONNECTIONS}/gone`), 'UNKNOWN_CONNECTION');
  });
});

describe('administrators', () => {
  const path = ({ id }: { id: string }) => `/v1/admin/users/${id}/sso-identity`;
  const seen = async (account: { id: string }) =>
    (await service.as(root).get(path(account)).expect(200)).body.identities;

  test('see the identities of connections next to those of single sign-on', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const ofCorp = subject();
    await link(alice, { sub: ofCorp });
    const ofSso = { issuer: 'https://idp.example', subject: subject() };
    await service.sql('INSERT INTO sso_identity (issuer, subject, account_id) VALUES ($1, $2, $3)', [
      ...[ofSso.issuer, ofSso.subject, alice.id],
    ]);
    expect(await seen(alice)).toEqual([
      { connection_id: null, ...ofSso },
      { connection_id: 'corp', issuer: provider.issuer, subject: ofCorp },
    ]);
  });

  test('unlink those of one connection, with an entry, a notice and a new epoch; sessions stay', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const sub = subject();
    await link(alice, { sub });
    await link(alice, {}, 'second');
    const epoch = await epochOf(alice);
    for (let attempt = 0; attempt < 2; attempt++)
      await service.as(root).delete(path(alice), { connection_id: 'corp' }).expect(200);
    expect(await linksOf(alice)).toEqual([expect.objectContaining({ connection_id: 'second' })]);
    expect(await epochOf(alice)).toBe(epoch + 1);
    await service.as(alice).get('/v1/users/@me').expect(200);
    const entries = (await auditOf(service, 'unlink_identity')).filter(({ target_id: id }) => id === alice.id);
    const metadata = { connection_id: 'corp', issuer: provider.issuer, subject: sub };
    expect(entries.map((entry) => entry.metadata)).toEqual([metadata, { ...metadata, issuer: '', subject: '' }]);
    const { body } = await service.as(alice).get('/v1/users/@me/security-events').expect(200);
    const events = body.filter(({ type }: { type: string }) => type === 'identity_unlinked');
    expect(events).toEqual([expect.objectContaining({ data: { connection: 'corp' } })]);
    // The identity can be linked by another account.
    expect((await link(await verifiedPerson(service, 'bob'), { sub })).status).toBe(200);
  });

  test('cannot unlink their own, with a wrong ID, or without user:update:sso', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await link(alice);
    const clerk = await administrator(service, 'user:lookup');
    const unlink = (by: Persona, account: Persona, connection_id: unknown = 'corp') =>
      service.as(by).delete(path(account), { connection_id });
    await withoutEffect(alice, async () => {
      expectApiError(await unlink(clerk, alice), 'MISSING_ACL');
      expectApiError(await unlink(root, root), 'ACCESS_DENIED');
      expectInvalid(await unlink(root, alice, 'Corp'), 'connection_id: INVALID_FORMAT');
      expect((await unlink(root, alice, null)).status).toBe(200);
      expect((await unlink(root, alice, 'unknown')).status).toBe(200);
    });
  });
});
