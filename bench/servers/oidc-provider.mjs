/**
 * oidc-provider with rotating refresh tokens, opaque tokens, one confidential client, accounts in a table and its own
 * keys. It uses the same storage as the service: PostgreSQL if `DATABASE_URL` names a database, otherwise an embedded
 * database. `STORAGE=memory` uses its default storage instead, and does not look up accounts.
 */
import { generateKeyPairSync } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { origin, people, pool, serve } from './serve.mjs';

for (const level of ['log', 'info', 'warn']) console[level] = () => {};
const { default: Provider } = await import('oidc-provider');

const { DATABASE_URL: url, DATA_DIR: directory } = process.env;
const storage = url ? pool : await PGlite.create(directory, { relaxedDurability: false });
const query = (name, text, values) => storage.query(...(url ? [{ name, text, values }] : [text, values]));

async function makeTables() {
  await storage.query('DROP TABLE IF EXISTS bench_oidc');
  await storage.query(`CREATE TABLE bench_oidc (
    model text NOT NULL, id text NOT NULL, payload jsonb NOT NULL, grant_id text, uid text,
    expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (model, id))`);
  await storage.query('CREATE INDEX bench_oidc_grant ON bench_oidc (grant_id)');
}

/** One statement for each operation, prepared by name. */
class Adapter {
  constructor(model) {
    this.model = model;
  }

  async upsert(id, payload, seconds) {
    await query(
      'upsert',
      `INSERT INTO bench_oidc (model, id, payload, grant_id, uid, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 second')
       ON CONFLICT (model, id) DO UPDATE SET payload = $3, grant_id = $4, uid = $5, expires_at = excluded.expires_at`,
      [this.model, id, JSON.stringify(payload), payload.grantId ?? null, payload.uid ?? null, seconds ?? null],
    );
  }

  async find(id) {
    const { rows } = await query(
      'find',
      `SELECT payload, extract(epoch FROM consumed_at)::int AS consumed FROM bench_oidc
       WHERE model = $1 AND id = $2 AND (expires_at IS NULL OR expires_at > now())`,
      [this.model, id],
    );
    const [row] = rows;
    return row && { ...row.payload, ...(row.consumed ? { consumed: row.consumed } : {}) };
  }

  async consume(id) {
    await query('consume', 'UPDATE bench_oidc SET consumed_at = now() WHERE model = $1 AND id = $2', [this.model, id]);
  }

  async destroy(id) {
    await query('destroy', 'DELETE FROM bench_oidc WHERE model = $1 AND id = $2', [this.model, id]);
  }

  async revokeByGrantId(grantId) {
    await query('revoke', 'DELETE FROM bench_oidc WHERE model = $1 AND grant_id = $2', [this.model, grantId]);
  }
}

const client = {
  client_id: 'bench',
  client_secret: 'a-secret-of-the-benchmark-and-of-nothing-else',
  redirect_uris: ['https://client.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
};
/** The ID tokens of the default client are signed with ES256. */
const DEFAULT_ALG = 'ES256';
const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const clients = Object.fromEntries(
  Object.keys(KEYS).map((alg) => [
    alg,
    {
      ...client,
      client_id: alg === DEFAULT_ALG ? client.client_id : `bench-${alg}`,
      id_token_signed_response_alg: alg,
    },
  ]),
);

const inMemory = process.env.STORAGE === 'memory';

async function findAccount(_context, id) {
  if (inMemory) return { accountId: id, claims: () => ({ sub: id, email: `person${id}@example.com` }) };
  const { rows } = await query('account', 'SELECT id, email, username FROM account WHERE id = $1', [id]);
  const [account] = rows;
  return (
    account && {
      accountId: id,
      claims: () => ({ sub: id, email: account.email, preferred_username: account.username }),
    }
  );
}

const provider = new Provider(origin, {
  ...(inMemory ? {} : { adapter: Adapter }),
  clients: Object.values(clients),
  enabledJWA: { idTokenSigningAlgValues: Object.keys(KEYS) },
  scopes: ['openid', 'api'],
  claims: { openid: ['sub', 'email', 'preferred_username'] },
  cookies: { keys: ['a key of the benchmark and of nothing else'] },
  jwks: {
    keys: Object.entries(KEYS).map(([alg, { privateKey }]) => ({
      ...privateKey.export({ format: 'jwk' }),
      ...{ kid: alg, use: 'sig', alg },
    })),
  },
  findAccount,
  rotateRefreshToken: () => true,
  issueRefreshToken: () => true,
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
});

/** Creates the result of a browser flow: codes, by default without an ID token, and access tokens for userinfo. */
async function prepare({ people: count, codes = 0, tokens = 0, challenge, scope = 'api', alg = DEFAULT_ALG }) {
  const client = clients[alg];
  if (count && !inMemory) {
    await makeTables();
    await people(count, storage);
  }
  const grantOf = async (accountId, scope) => {
    const grant = new provider.Grant({ accountId, clientId: client.client_id });
    grant.addOIDCScope(scope);
    return grant.save();
  };
  const owner = await provider.Client.find(client.client_id);
  const common = { client: owner, gty: 'authorization_code' };
  const tokenOf = async (accountId) => {
    const grantId = await grantOf(accountId, 'openid');
    return new provider.AccessToken({ ...common, accountId, grantId, scope: 'openid' }).save();
  };
  const made = { client, callers: [], codes: [], tokens: [] };
  for (let n = 1; n <= (count ?? 0); n++) made.callers.push({ authorization: `Bearer ${await tokenOf(String(n))}` });
  for (let n = 0; n < codes; n++) {
    const code = new provider.AuthorizationCode({
      ...common,
      accountId: '1',
      grantId: await grantOf('1', scope),
      scope,
      redirectUri: client.redirect_uris[0],
      ...(challenge ? { codeChallenge: challenge, codeChallengeMethod: 'S256' } : {}),
    });
    made.codes.push(await code.save());
  }
  for (let n = 0; n < tokens; n++) made.tokens.push(await tokenOf('1'));
  return made;
}

serve(provider.callback(), prepare);
process.on('SIGTERM', async () => {
  if (!url) await storage.close();
  process.exit();
});
