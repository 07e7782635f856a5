import { createHash, createHmac } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { astray, either, letters, nearly } from './likeness.mjs';
import { basic, SETUP_TOKEN, SIGNING_SECRET } from './stage.mjs';

/**
 * Compares a secret that is wrong only at its end with one of the same form that is completely wrong. A comparison
 * character by character would show a difference.
 * @param find `(stage) => { secret, kept? }`, of which the first `kept` characters are not secret
 * @param request `(guess, found) => request`
 */
const guessing = (what, status, find, request) => ({
  name: `${what}: right but for its end, all wrong`,
  status,
  prepare: find,
  request: (isFirst, _, found) => {
    const { secret, kept = 0 } = found;
    return request(either(isFirst, nearly(secret), astray(secret, kept)), found);
  },
});

const bodyOf = (path, body) => ({ method: 'POST', path, body });
const digestOf = (secret) => createHash('sha256').update(secret).digest('base64url');
const token = (form, authorization) => ({ method: 'POST', path: '/v1/oauth2/token', authorization, form });
const PASSWORD = 'another long password';

/** A secret of an account that is stored as a digest. */
const stored =
  (purpose, { isDigested = false } = {}) =>
  async (stage) => {
    const { id } = await stage.register();
    const secret = await stage.secret(purpose, id);
    return { secret: isDigested ? await stage.secret(purpose, id, { secret, stored: digestOf(secret) }) : secret };
  };

const credential = (name) => async (stage) => {
  const secret = (await stage.enrol())[name];
  return { secret, kept: secret.lastIndexOf(name === 'bot' ? '.' : ' ') + 1 };
};

async function client(stage) {
  const enrolled = await stage.enrol();
  return { ...enrolled, client: basic(enrolled.applicationId, enrolled.clientSecret) };
}

/** Turns single sign-on on or off, with an identity provider that receives no requests. */
const offerSso = (stage, enabled) => {
  const at = (path) => `https://127.0.0.1/${path}`;
  const sso = {
    enabled,
    issuer: at(''),
    authorization_url: at('authorize'),
    token_url: at('token'),
    jwks_url: at('jwks'),
  };
  return stage.configure({ sso: { ...sso, client_id: 'bench', client_secret: 'bench' } });
};

const ceremony = (path, body) => bodyOf(`/v1/auth/passkey-bridge${path}`, body);
const began = (nonce) => {
  const nonce_hash = createHash('sha256').update(nonce).digest('hex');
  return ceremony('', { purpose: 'login', runner: 'native', nonce_hash });
};

/** A ceremony allows five attempts to redeem it. Each request gets its own ceremony, which its page has canceled. */
const redemption = (what, wrong) => ({
  name: `${what}: right but for its end, all wrong`,
  status: 401,
  prepare: async (stage) => stage,
  async request(isFirst, _, stage) {
    const nonce = letters(43);
    const { ceremony_id: id } = await stage.ask(began(nonce));
    const { completion_code } = await stage.ask(ceremony(`/${id}/cancel`, {}));
    const right = { nonce, completion_code };
    return ceremony(`/${id}/redeem`, {
      ...right,
      [wrong]: either(isFirst, nearly(right[wrong]), astray(right[wrong])),
    });
  },
});

/** The setup token for the first administrator. It is invalid as soon as there is one. */
export const SETUP = guessing(
  'setup token',
  403,
  async (stage) => ({ secret: SETUP_TOKEN, ...(await stage.register()) }),
  (guess, { authorization }) => ({ ...bodyOf('/v1/setup', { token: guess }), authorization }),
);

/** Comparisons of all other secrets. */
export const SECRETS = [
  guessing(
    'session token',
    401,
    async (stage) => ({ secret: (await stage.register()).authorization, kept: 4 }),
    (guess) => ({
      path: '/v1/users/@me',
      authorization: guess,
    }),
  ),
  guessing('bot token', 401, credential('bot'), (guess) => ({ path: '/v1/users/@me', authorization: guess })),
  guessing(
    'Identify by session',
    4004,
    async (stage) => ({ secret: (await stage.register()).authorization, kept: 4 }),
    (guess) => ({ path: '/gateway', identify: guess }),
  ),
  guessing('Identify by bot', 4004, credential('bot'), (guess) => ({ path: '/gateway', identify: guess.slice(4) })),
  guessing('access token', 401, credential('bearer'), (guess) => ({ path: '/v1/oauth2/@me', authorization: guess })),
  guessing(
    'Admin API key',
    401,
    async (stage) => {
      const { key } = await stage.adminKey();
      return { secret: key, kept: key.lastIndexOf('_') + 1 };
    },
    (guess) => ({ path: '/v1/admin/api-keys', authorization: `Admin ${guess}` }),
  ),
  guessing(
    'client secret',
    401,
    async (stage) => {
      const { applicationId, clientSecret } = await stage.enrol();
      return { applicationId, secret: clientSecret };
    },
    (guess, { applicationId }) => ({
      ...token({ token: 'any' }, basic(applicationId, guess)),
      path: '/v1/oauth2/introspect',
    }),
  ),
  guessing(
    'refresh token',
    400,
    async (stage) => {
      const { client: authorization, refresh } = await client(stage);
      return { authorization, secret: refresh };
    },
    (guess, { authorization }) => token({ grant_type: 'refresh_token', refresh_token: guess }, authorization),
  ),
  guessing(
    'authorization code',
    400,
    async (stage) => {
      const { client: authorization, applicationId, session } = await client(stage);
      const body = { client_id: applicationId, scope: 'identify', redirect_uri: 'http://127.0.0.1/callback' };
      const path = '/v1/oauth2/authorize/consent';
      const { redirect_to: to } = await stage.ask({ method: 'POST', path, authorization: session, body });
      return { authorization, secret: new URL(to).searchParams.get('code') };
    },
    (guess, { authorization }) =>
      token(
        { grant_type: 'authorization_code', code: guess, redirect_uri: 'http://127.0.0.1/callback' },
        authorization,
      ),
  ),
  guessing(
    'webhook token',
    404,
    async (stage) => {
      const { authorization } = await stage.register();
      const asked = { ...bodyOf('/v1/users/@me/webhooks', { name: 'hook' }), authorization };
      const { id, token: secret } = await stage.ask(asked);
      return { id, secret };
    },
    (guess, { id }) => ({ path: `/v1/webhooks/${id}/${guess}` }),
  ),
  guessing(
    'signature of foreign media',
    401,
    async () => {
      const target = `v2/${Buffer.from('https://images.example.com/a.png').toString('base64url')}`;
      return { target, secret: createHmac('sha256', SIGNING_SECRET).update(target).digest('base64url') };
    },
    (guess, { target }) => ({ path: `/media/external/${guess}/${target}` }),
  ),
  guessing(
    'capability of an upload',
    401,
    async (stage) => {
      const { authorization } = await stage.register();
      const attachments = [{ id: 0, filename: 'a.bin', file_size: 1, content_type: 'application/octet-stream' }];
      const { attachments: planned } = await stage.ask({
        ...bodyOf('/v1/media/uploads', { attachments }),
        authorization,
      });
      const { pathname, searchParams } = new URL(planned[0].upload_url);
      const secret = searchParams.get('t');
      return { pathname, secret, kept: secret.lastIndexOf('.') + 1 };
    },
    (guess, { pathname }) => ({
      method: 'PUT',
      path: `${pathname}?t=${guess}`,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  ),
  guessing(
    'sudo proof',
    403,
    async (stage) => {
      const { authorization, id, password } = await stage.register();
      await stage.sql('UPDATE account SET email_verified = true WHERE id = $1', [id]);
      const secret = new Secret({ size: 20 });
      const totp = new TOTP({ secret });
      const enabling = { secret: secret.base32, code: totp.generate(), password };
      await stage.ask({ ...bodyOf('/v1/users/@me/mfa/totp/enable', enabling), authorization });
      // The code of the current time step is already used.
      const mfa_code = totp.generate({ timestamp: Date.now() + 30_000 });
      const body = { session_id_hashes: [], mfa_method: 'totp', mfa_code };
      const { headers } = await stage.send({ ...bodyOf('/v1/auth/sessions/logout', body), authorization });
      const proof = headers.get('x-service-sudo-mode-jwt');
      return { authorization, secret: proof, kept: proof.lastIndexOf('.') + 1 };
    },
    (guess, { authorization }) => ({
      ...bodyOf('/v1/auth/sessions/logout', { session_id_hashes: [] }),
      authorization,
      headers: { 'x-service-sudo-mode-jwt': guess },
    }),
  ),
  guessing(
    'poll secret of a handoff',
    200,
    async (stage) => {
      const { code, poll_secret: secret } = await stage.ask({ method: 'POST', path: '/v1/auth/handoff/initiate' });
      return { code, secret };
    },
    (guess, { code }) => bodyOf(`/v1/auth/handoff/${code}/status`, { poll_secret: guess }),
  ),
  guessing(
    'passkey bridge: id of a ceremony',
    401,
    async (stage) => ({ secret: (await stage.ask(began(letters(43)))).ceremony_id }),
    (guess) => ceremony(`/${guess}/options`, {}),
  ),
  redemption('passkey bridge: nonce', 'nonce'),
  redemption('passkey bridge: completion code', 'completion_code'),
  {
    ...guessing(
      'state of single sign-on',
      400,
      async (stage) => {
        await offerSso(stage, true);
        const { state: secret } = await stage.ask(bodyOf('/v1/auth/sso/start', {}));
        return { secret };
      },
      (guess) => bodyOf('/v1/auth/sso/complete', { code: 'any', state: guess }),
    ),
    cleanUp: (stage) => offerSso(stage, false),
  },
  guessing('password reset token', 200, stored('password-reset'), (guess) => ({ path: `/v1/auth/reset/${guess}` })),
  guessing('password reset', 400, stored('password-reset'), (guess) =>
    bodyOf('/v1/auth/reset', { token: guess, password: PASSWORD }),
  ),
  guessing('e-mail verification token', 400, stored('email-verification'), (guess) =>
    bodyOf('/v1/auth/verify', { token: guess }),
  ),
  guessing('e-mail revert token', 400, stored('email-revert'), (guess) =>
    bodyOf('/v1/auth/email-revert', { token: guess, password: PASSWORD }),
  ),
  guessing('lockdown link', 400, stored('lockdown'), (guess) => bodyOf('/v1/auth/lockdown', { token: guess })),
  guessing('IP authorisation token', 400, stored('ip-token', { isDigested: true }), (guess) =>
    bodyOf('/v1/auth/authorize-ip', { token: guess }),
  ),
  guessing('IP authorisation ticket', 400, stored('ip-ticket', { isDigested: true }), (guess) => ({
    path: `/v1/auth/ip-authorization/poll?ticket=${guess}`,
  })),
  guessing('MFA ticket', 400, stored('mfa-ticket', { isDigested: true }), (guess) =>
    bodyOf('/v1/auth/login/mfa/totp', { ticket: guess, code: '123456' }),
  ),
];
