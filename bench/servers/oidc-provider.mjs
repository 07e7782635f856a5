/**
 * The peer of `npm run bench -- oauth`: oidc-provider with rotating refresh tokens, opaque tokens and one confidential
 * client, stored where the service stores: on PostgreSQL where `DATABASE_URL` names one, else in an embedded database.
 */
import { createServer } from 'node:http';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

for (const level of ['log', 'info', 'warn']) console[level] = () => {};
const { default: Provider } = await import('oidc-provider');

const { DATABASE_URL: url, PORT } = process.env;
const storage = url
  ? new pg.Pool({ connectionString: url, max: 10 })
  : await PGlite.create(process.env.DATA_DIR, { relaxedDurability: false });
const query = (name, text, values) => storage.query(...(url ? [{ name, text, values }] : [text, values]));

await storage.query('DROP TABLE IF EXISTS bench_oidc');
await storage.query(`CREATE TABLE bench_oidc (
  model text NOT NULL, id text NOT NULL, payload jsonb NOT NULL, grant_id text, uid text,
  expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (model, id))`);
await storage.query('CREATE INDEX bench_oidc_grant ON bench_oidc (grant_id)');

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
  client_secret: 'a secret of the benchmark and of nothing else',
  redirect_uris: ['https://client.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
};
const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  adapter: Adapter,
  clients: [client],
  scopes: ['openid', 'api'],
  cookies: { keys: ['bench'] },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: () => true,
  issueRefreshToken: () => true,
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
});

/** What a browser would have brought about: codes without an ID token, and access tokens that userinfo takes. */
async function prepare(codes, tokens) {
  const grantOf = async (scope) => {
    const grant = new provider.Grant({ accountId: 'alice', clientId: client.client_id });
    grant.addOIDCScope(scope);
    return grant.save();
  };
  const owner = await provider.Client.find(client.client_id);
  const common = { accountId: 'alice', client: owner, gty: 'authorization_code' };
  const made = { codes: [], tokens: [] };
  for (let n = 0; n < codes; n++) {
    const code = new provider.AuthorizationCode({
      ...common,
      grantId: await grantOf('api'),
      scope: 'api',
      redirectUri: client.redirect_uris[0],
    });
    made.codes.push(await code.save());
  }
  for (let n = 0; n < tokens; n++) {
    const token = new provider.AccessToken({ ...common, grantId: await grantOf('openid'), scope: 'openid' });
    made.tokens.push(await token.save());
  }
  return made;
}

const callback = provider.callback();
const server = createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, `http://127.0.0.1:${PORT}`);
  if (pathname !== '/prepare') return callback(req, res);
  prepare(Number(searchParams.get('codes')), Number(searchParams.get('tokens')))
    .then((made) => res.end(JSON.stringify({ ...made, client })))
    .catch((error) => res.writeHead(500).end(String(error)));
});
server.listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('SIGTERM', async () => {
  await storage.query('DROP TABLE bench_oidc');
  process.exit();
});
