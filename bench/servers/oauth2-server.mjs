/**
 * node-oauth2-server with its wrapper for Express, and a model on PostgreSQL in which every operation is one prepared
 * statement.
 */
import { randomBytes } from 'node:crypto';
import OAuthServer from '@node-oauth/express-oauth-server';
import { verify } from '@node-rs/argon2';
import express from 'express';
import { PASSWORD, people, pool, serve } from './serve.mjs';

const client = {
  client_id: 'bench',
  client_secret: 'a-secret-of-the-benchmark-and-of-nothing-else',
  redirect_uris: ['https://client.example/callback'],
};
const grants = ['authorization_code', 'refresh_token', 'password'];
const TOKEN = `SELECT t.*, a.email, a.username, c.grants, c.redirect_uris FROM token t
  JOIN account a ON a.id = t.account_id JOIN client c ON c.id = t.client_id`;
const CODE = `SELECT t.*, a.email, a.username, c.grants, c.redirect_uris FROM code t
  JOIN account a ON a.id = t.account_id JOIN client c ON c.id = t.client_id`;

async function first(name, text, values) {
  const { rows } = await pool.query({ name, text, values });
  return rows[0];
}

const clientOf = ({ client_id: id, redirect_uris: redirectUris, grants }) => ({ id, redirectUris, grants });
const userOf = ({ account_id: id, email, username }) => ({ id, email, username });
const tokenOf = (row) =>
  row && {
    accessToken: row.access_token,
    accessTokenExpiresAt: row.access_expires_at,
    refreshToken: row.refresh_token,
    refreshTokenExpiresAt: row.refresh_expires_at,
    scope: row.scope,
    client: clientOf(row),
    user: userOf(row),
  };

const model = {
  async getClient(id, secret) {
    const row = secret
      ? await first('client', 'SELECT * FROM client WHERE id = $1 AND secret = $2', [id, secret])
      : await first('public client', 'SELECT * FROM client WHERE id = $1', [id]);
    return row && clientOf({ client_id: row.id, ...row });
  },

  async getUser(email, password) {
    const row = await first('login', 'SELECT * FROM account WHERE email = $1', [email]);
    if (!row || !(await verify(row.password_hash, password))) return false;
    return userOf({ account_id: row.id, ...row });
  },

  async getAuthorizationCode(code) {
    const row = await first('code', `${CODE} WHERE t.code = $1`, [code]);
    return (
      row && {
        code: row.code,
        expiresAt: row.expires_at,
        redirectUri: row.redirect_uri,
        scope: row.scope,
        codeChallenge: row.code_challenge,
        codeChallengeMethod: 'S256',
        client: clientOf(row),
        user: userOf(row),
      }
    );
  },

  async revokeAuthorizationCode({ code }) {
    return Boolean(await first('spend code', 'DELETE FROM code WHERE code = $1 RETURNING 1', [code]));
  },

  async saveToken(token, { id: clientId }, user) {
    await first('save token', 'INSERT INTO token VALUES ($1, $2, $3, $4, $5, $6, $7)', [
      token.accessToken,
      token.accessTokenExpiresAt,
      token.refreshToken,
      token.refreshTokenExpiresAt,
      token.scope,
      clientId,
      user.id,
    ]);
    return { ...token, client: { id: clientId }, user };
  },

  async getAccessToken(token) {
    return tokenOf(await first('access token', `${TOKEN} WHERE t.access_token = $1`, [token]));
  },

  async getRefreshToken(token) {
    return tokenOf(await first('refresh token', `${TOKEN} WHERE t.refresh_token = $1`, [token]));
  },

  async revokeToken({ refreshToken }) {
    return Boolean(
      await first('spend token', 'DELETE FROM token WHERE refresh_token = $1 RETURNING 1', [refreshToken]),
    );
  },

  validateScope: async (_user, _client, scope = ['api']) => scope,
};

const oauth = new OAuthServer({ model });
const app = express();
app.disable('x-powered-by');
app.post('/token', express.urlencoded({ extended: false }), oauth.token());
app.get('/me', oauth.authenticate(), (_req, res) => res.json(res.locals.oauth.token.user));

async function begin(count) {
  const accounts = await people(count);
  await pool.query('DROP TABLE IF EXISTS client, code, token CASCADE');
  await pool.query('CREATE TABLE client (id text PRIMARY KEY, secret text, redirect_uris text[], grants text[])');
  await pool.query(`CREATE TABLE code (code text PRIMARY KEY, expires_at timestamptz NOT NULL, redirect_uri text NOT NULL,
    scope text[], code_challenge text, client_id text NOT NULL, account_id bigint NOT NULL)`);
  await pool.query(`CREATE TABLE token (access_token text PRIMARY KEY, access_expires_at timestamptz NOT NULL,
    refresh_token text UNIQUE, refresh_expires_at timestamptz, scope text[], client_id text NOT NULL, account_id bigint NOT NULL)`);
  await first('add client', 'INSERT INTO client VALUES ($1, $2, $3, $4)', [
    client.client_id,
    client.client_secret,
    client.redirect_uris,
    grants,
  ]);
  const inAnHour = new Date(Date.now() + 3_600_000);
  const callers = [];
  for (const { id } of accounts) {
    const token = { accessToken: randomBytes(32).toString('hex'), accessTokenExpiresAt: inAnHour, scope: ['api'] };
    await model.saveToken(token, { id: client.client_id }, { id });
    callers.push({ authorization: `Bearer ${token.accessToken}` });
  }
  return { client, callers, logins: accounts.map(({ email }) => ({ email, password: PASSWORD })) };
}

async function prepare({ people: count, codes, challenge }) {
  const begun = count ? await begin(count) : { client };
  const made = [];
  while (made.length < (codes ?? 0)) {
    const code = randomBytes(32).toString('hex');
    await first('add code', "INSERT INTO code VALUES ($1, now() + interval '10 minutes', $2, '{api}', $3, $4, 1)", [
      code,
      client.redirect_uris[0],
      challenge,
      client.client_id,
    ]);
    made.push(code);
  }
  return { ...begun, codes: made };
}

serve(app, prepare);
