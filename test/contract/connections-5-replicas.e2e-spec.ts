import { randomBytes } from 'node:crypto';
import { Config } from '../../src/core/config/config.js';
import { connect, IDENTITIES, newNonce, PUBLIC, startLink, startVisit } from '../machine/connections.js';
import { describeOnPostgres } from '../machine/postgres.js';
import {
  type Authenticator,
  environmentOf,
  type Gatehouse,
  gatehouse,
  type Persona,
  race,
  ScriptedProvider,
  sudoProof,
  superuser,
  verifiedPerson,
  withTotp,
} from '../support/index.js';
import { eventually } from '../support/mail.js';

const subject = () => randomBytes(8).toString('hex');

describeOnPostgres('connections.md section 5: races of 32 across two replicas', () => {
  let provider: ScriptedProvider;
  let first: Gatehouse;
  let second: Gatehouse;
  let root: Persona;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    first = await gatehouse({ env: environmentOf(provider) });
    const shared = { DATABASE_URL: first.app.get(Config).databaseUrl ?? '' };
    second = await gatehouse({ env: { ...environmentOf(provider), ...shared } });
    provider.seconds = () => first.clock.seconds();
    root = await superuser(first);
    await connect(first, root, provider);
    await connect(first, root, provider, { id: 'second', display_name: 'Second' });
    await eventually('the connections on the other replica', async () => {
      const { body } = await second.anonymous.get(PUBLIC);
      return body.connections.length === 2 || undefined;
    });
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
    await provider?.stop();
  });

  /** Attempts alternate between the replicas. */
  const replica = (attempt: number): Gatehouse => (attempt % 2 === 0 ? first : second);
  const linksOf = ({ id }: { id: string }) =>
    first.sql('SELECT connection_id, subject FROM connection_identity WHERE account_id = $1', [id]);
  const epochOf = async ({ id }: { id: string }): Promise<number> =>
    (await first.sql('SELECT epoch FROM account WHERE id = $1', [id]))[0]?.epoch;
  const eventsOf = ({ id }: Persona, type: string) =>
    first.sql('SELECT 1 FROM security_event WHERE account_id = $1 AND type = $2', [id, type]);

  /** Returns a new proof of sudo mode. Its authenticator moves the clock of one replica, and the other follows. */
  async function proofOf(alice: Persona, authenticator: Authenticator): Promise<string> {
    const proof = await sudoProof(first, alice, authenticator);
    second.clock.advance({ seconds: first.clock.seconds() - second.clock.seconds() });
    return proof;
  }
  const sudoOf = async (alice: Persona) => proofOf(alice, (await withTotp(first, alice)).authenticator);

  test('first sign-ins of one identity create one account', async () => {
    const claims = { sub: subject(), email: `${subject()}@corp.example.com` };
    const bodies: object[] = [];
    for (let attempt = 0; attempt < 32; attempt++) {
      const { url, ...rest } = await startVisit(replica(attempt), 'corp');
      bodies.push({ code: provider.visit(url, claims), ...rest });
    }
    // Each state is completed by the replica that did not start it.
    const { responses, statuses } = await race(32, (n) =>
      replica(n + 1).anonymous.post(`${PUBLIC}/corp/complete`, bodies[n]),
    );
    expect(statuses).toEqual({ 200: 32 });
    expect(new Set(responses.map(({ body }) => body.user_id)).size).toBe(1);
    expect(await first.sql('SELECT 1 FROM account WHERE email = $1', [claims.email])).toHaveLength(1);
    expect(await linksOf({ id: responses[0]?.body.user_id })).toEqual([{ connection_id: 'corp', subject: claims.sub }]);
  });

  test('completions of one state sign in once', async () => {
    const { url, state, nonce } = await startVisit(first, 'corp');
    const body = { code: provider.visit(url), state, nonce };
    const { of, codes } = await race(32, (n) => replica(n).anonymous.post(`${PUBLIC}/corp/complete`, body));
    expect([of(200).length, codes]).toEqual([1, { INVALID_FORM_BODY: 31 }]);
  });

  test('links of different identities to one account link one', async () => {
    const alice = await verifiedPerson(first, 'alice');
    const sudo = await sudoOf(alice);
    const bodies: object[] = [];
    for (let attempt = 0; attempt < 32; attempt++) {
      const client = replica(attempt).as(alice).sudo(sudo);
      bodies.push(await startLink(client, '', provider, { sub: subject() }));
    }
    const epoch = await epochOf(alice);
    const { of } = await race(32, (n) =>
      replica(n + 1)
        .as(alice)
        .post(`${IDENTITIES}/complete`, bodies[n]),
    );
    expect(of(200)).toHaveLength(1);
    expect(await linksOf(alice)).toHaveLength(1);
    expect(await epochOf(alice)).toBe(epoch + 1);
    expect(await eventsOf(alice, 'identity_linked')).toHaveLength(1);
  });

  test('links of one identity to different accounts link it to one', async () => {
    const sub = subject();
    const owners: Persona[] = [];
    const bodies: object[] = [];
    for (let owner = 0; owner < 8; owner++) {
      const alice = await verifiedPerson(first, `alice${owner}`);
      const sudo = await sudoOf(alice);
      for (let state = 0; state < 4; state++) {
        owners.push(alice);
        bodies.push(await startLink(replica(state).as(alice).sudo(sudo), '', provider, { sub }));
      }
    }
    const { of } = await race(32, (n) =>
      replica(n)
        .as(owners[n] as Persona)
        .post(`${IDENTITIES}/complete`, bodies[n]),
    );
    expect(of(200)).toHaveLength(1);
    const links = await first.sql('SELECT account_id FROM connection_identity WHERE subject = $1', [sub]);
    expect(links).toHaveLength(1);
    for (const owner of new Set(owners)) {
      const isLinked = links[0]?.account_id === owner.id;
      expect(await eventsOf(owner, 'identity_linked')).toHaveLength(isLinked ? 1 : 0);
    }
  });

  test('one of two identities, which are the only ways to sign in, is unlinked, and one stays', async () => {
    const alice = await verifiedPerson(first, 'alice');
    const { authenticator } = await withTotp(first, alice);
    for (const id of ['corp', 'second']) {
      const client = first.as(alice).sudo(await proofOf(alice, authenticator));
      const body = await startLink(client, '', provider, { sub: subject() }, id);
      await first.as(alice).post(`${IDENTITIES}/complete`, body).expect(200);
    }
    await first.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [alice.id]);
    const proof = await proofOf(alice, authenticator);
    const { identities } = (await first.as(alice).get(IDENTITIES).expect(200)).body;
    const { of } = await race(32, (n) =>
      replica(n)
        .as(alice)
        .sudo(proof)
        .delete(`${IDENTITIES}/${identities[(n >> 1) % 2].id}`),
    );
    expect(of(204)).toHaveLength(1);
    expect(await linksOf(alice)).toHaveLength(1);
    expect(await eventsOf(alice, 'identity_unlinked')).toHaveLength(1);
  });

  test('a link and sign-ins with the same new identity lead to one account', async () => {
    const alice = await verifiedPerson(first, 'alice');
    const sub = subject();
    const claims = { sub, email: `${subject()}@corp.example.com` };
    const link = await startLink(first.as(alice), alice.password, provider, claims);
    const visits: object[] = [];
    for (let attempt = 0; attempt < 31; attempt++) {
      const { url, ...rest } = await startVisit(replica(attempt), 'corp');
      visits.push({ code: provider.visit(url, claims), ...rest });
    }
    const { responses } = await race(32, (n) =>
      n === 31
        ? second.as(alice).post(`${IDENTITIES}/complete`, link)
        : replica(n).anonymous.post(`${PUBLIC}/corp/complete`, visits[n]),
    );
    const signedIn = responses.slice(0, 31);
    expect(new Set(signedIn.map(({ status }) => status))).toEqual(new Set([200]));
    const owners = new Set(signedIn.map(({ body }) => body.user_id));
    expect(owners.size).toBe(1);
    const links = await first.sql('SELECT account_id FROM connection_identity WHERE subject = $1', [sub]);
    expect(links).toEqual([{ account_id: [...owners][0] }]);
    // The link succeeded if it was the first, and only then.
    expect(responses[31]?.status === 200).toBe(owners.has(alice.id));
  });

  test('a connection that is disabled on one replica is unknown on the other', async () => {
    const { nonce_hash } = newNonce();
    const start = () => second.anonymous.post(`${PUBLIC}/second/start`, { nonce_hash });
    await start().expect(200);
    await first.as(root).patch('/v1/admin/connections/second', { enabled: false }).expect(200);
    await eventually('the change', async () => (await start()).body.code === 'UNKNOWN_CONNECTION' || undefined);
  });
});
