import { createHash, randomBytes } from 'node:crypto';

async function call(url, method, path, { authorization, body, form } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** One credential of each kind, obtained as a client would. */
export async function enrol(url) {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const { token: session } = await call(url, 'POST', '/v1/auth/register', {
    body: { email, password: randomBytes(12).toString('hex') },
  });
  const redirect = 'http://127.0.0.1/callback';
  const application = await call(url, 'POST', '/v1/oauth2/applications', {
    authorization: session,
    body: { name: 'Bench', redirect_uris: [redirect] },
  });
  const verifier = randomBytes(32).toString('base64url');
  const { redirect_to: to } = await call(url, 'POST', '/v1/oauth2/authorize/consent', {
    authorization: session,
    body: {
      client_id: application.id,
      scope: 'identify email',
      redirect_uri: redirect,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    },
  });
  const { access_token: access } = await call(url, 'POST', '/v1/oauth2/token', {
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
    session,
    bot: `Bot ${application.bot.token}`,
    bearer: `Bearer ${access}`,
    applicationId: application.id,
    clientSecret: application.client_secret,
  };
}
