import { randomBytes } from 'node:crypto';
import { ask } from './ask.mjs';

export const CALLBACK = 'https://client.example/callback';
const fresh = () => randomBytes(6).toString('hex');

/** Registers a new user. Returns the email address, password, ID and session of the user. */
export async function register(front, name) {
  const email = `${name}.${fresh()}@example.com`;
  const password = `${fresh()} ${fresh()}`;
  const { user_id: id, token } = await ask(front, 200, 'POST', '/v1/auth/register', {
    body: { email, password, username: name },
  });
  return { id, email, password, token };
}

export const login = (front, { email, password }) =>
  ask(front, 200, 'POST', '/v1/auth/login', { body: { email, password } });

export const signIn = async (front, person) => (await login(front, person)).token;

export const me = (front, as, expected = 200) => ask(front, expected, 'GET', '/v1/users/@me', { as });

export const describe = (front, as, global_name) =>
  ask(front, 200, 'PATCH', '/v1/users/@me', { as, body: { global_name } });

export async function newApp(front, as) {
  const body = { name: 'Client', redirect_uris: [CALLBACK] };
  const { id, client_secret: secret, bot } = await ask(front, 200, 'POST', '/v1/oauth2/applications', { as, body });
  return { id, bot: bot.token, basic: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

export async function consent(front, as, { id }) {
  const body = { client_id: id, redirect_uri: CALLBACK, scope: 'identify' };
  const { redirect_to } = await ask(front, 200, 'POST', '/v1/oauth2/authorize/consent', { as, body });
  return new URL(redirect_to).searchParams.get('code');
}

const token = (front, { basic }, form, expected) =>
  ask(front, expected, 'POST', '/v1/oauth2/token', { as: basic, form });

export const exchange = (front, app, code, expected = 200) =>
  token(front, app, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }, expected);

export const refresh = (front, app, refresh_token, expected = 200) =>
  token(front, app, { grant_type: 'refresh_token', refresh_token }, expected);

export const revokeToken = (front, { basic }, value) =>
  ask(front, 200, 'POST', '/v1/oauth2/token/revoke', { as: basic, form: { token: value } });

export const authorisation = (front, { access_token }, expected = 200) =>
  ask(front, expected, 'GET', '/v1/oauth2/@me', { as: `Bearer ${access_token}` });

export const botApp = (front, bot, expected = 200) =>
  ask(front, expected, 'GET', '/v1/applications/@me', { as: `Bot ${bot}` });

/** Creates a webhook. Returns its ID, and the path that contains its token. */
export async function newHook(front, as) {
  const { id, url } = await ask(front, 200, 'POST', '/v1/users/@me/webhooks', { as, body: { name: 'hook' } });
  return { id, path: new URL(url).pathname };
}
