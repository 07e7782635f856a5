import { createHash, randomBytes } from 'node:crypto';

export async function call(url, method, path, { authorization, body, form, headers = {} } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...headers,
      ...(authorization ? { authorization } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Gets one credential of each kind, as a client would. */
export async function enrol(url, headers = {}) {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('hex');
  const {
    token: session,
    user: { id },
  } = await call(url, 'POST', '/v1/auth/register', { headers, body: { email, password } });
  const redirect = 'http://127.0.0.1/callback';
  const application = await call(url, 'POST', '/v1/oauth2/applications', {
    headers,
    authorization: session,
    body: { name: 'Bench', redirect_uris: [redirect] },
  });
  const verifier = randomBytes(32).toString('base64url');
  const { redirect_to: to } = await call(url, 'POST', '/v1/oauth2/authorize/consent', {
    headers,
    authorization: session,
    body: {
      client_id: application.id,
      scope: 'identify email',
      redirect_uri: redirect,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    },
  });
  const tokens = await call(url, 'POST', '/v1/oauth2/token', {
    headers,
    form: {
      grant_type: 'authorization_code',
      code: new URL(to).searchParams.get('code'),
      redirect_uri: redirect,
      code_verifier: verifier,
      client_id: application.id,
      client_secret: application.client_secret,
    },
  });
  return {
    id,
    email,
    password,
    session,
    bot: `Bot ${application.bot.token}`,
    bearer: `Bearer ${tokens.access_token}`,
    refresh: tokens.refresh_token,
    applicationId: application.id,
    clientSecret: application.client_secret,
  };
}
