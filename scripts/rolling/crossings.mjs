import { setTimeout } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';
import { ask, askUntil, demand } from './ask.mjs';
import { GatewaySession } from './gateway-session.mjs';
import {
  authorisation,
  botApp,
  consent,
  describe,
  exchange,
  login,
  me,
  newApp,
  newHook,
  refresh,
  register,
  revokeToken,
  signIn,
} from './people.mjs';

/** Number of checks that run in parallel. Most of them wait for password hashes. */
const AT_ONCE = 3;

/** Returns the data of the newest email of a type to a recipient. */
async function mailTo(front, email, type) {
  const path = `/dev/inbox.json?${new URLSearchParams({ to: email })}`;
  let found;
  const isThere = ({ messages }) => {
    found = messages.find((message) => message.type === type);
    return found !== undefined;
  };
  await askUntil(isThere, front, 200, 'GET', path);
  return found.metadata;
}

const codeOf = (secret, after = 0) =>
  new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: Date.now() + after * 1000 });

/** Checks that create something on one replica, use it on the other and end it on either. */
const CROSSINGS = {
  async 'a session'(from, to) {
    const alice = await register(from, 'alice');
    const token = await signIn(from, alice);
    demand((await me(to, token)).id === alice.id, 'it is of somebody else');
    const list = await ask(to, 200, 'GET', '/v1/auth/sessions', { as: alice.token });
    demand(list.length === 2, `the list shows ${list.length} sessions of 2`);
    await ask(to, 204, 'POST', '/v1/auth/logout', { as: token });
    await me(from, token, 401);
    await ask(from, 204, 'POST', '/v1/auth/logout', { as: alice.token });
    await me(to, alice.token, 401);
  },

  async 'a change of the password'(from, to) {
    const alice = await register(from, 'alice');
    const new_password = `${alice.password} more`;
    const body = { password: alice.password, new_password };
    const { token } = await ask(from, 200, 'PATCH', '/v1/users/@me', { as: alice.token, body });
    await me(to, alice.token, 401);
    await me(to, token);
    await me(from, await signIn(to, { ...alice, password: new_password }));
  },

  async 'a code, its tokens and their end'(from, to) {
    const alice = await register(from, 'alice');
    const app = await newApp(from, alice.token);
    const code = await consent(from, alice.token, app);
    const tokens = await exchange(to, app, code);
    await authorisation(from, tokens);
    const next = await refresh(from, app, tokens.refresh_token);
    await authorisation(to, next);
    await revokeToken(to, app, next.access_token);
    for (const { access_token } of [tokens, next]) await authorisation(from, { access_token }, 401);
    await refresh(from, app, next.refresh_token, 400);
  },

  async 'a code that is exchanged twice'(from, to) {
    const alice = await register(to, 'alice');
    const app = await newApp(from, alice.token);
    const code = await consent(to, alice.token, app);
    const tokens = await exchange(from, app, code);
    // A second use within one round trip to the database counts as a parallel one, which revokes nothing.
    await setTimeout(1000);
    await exchange(to, app, code, 400);
    await authorisation(from, tokens, 401);
    await authorisation(to, tokens, 401);
  },

  async 'a bot token'(from, to) {
    const alice = await register(from, 'alice');
    const { id, bot } = await newApp(from, alice.token);
    await botApp(to, bot);
    const socket = await GatewaySession.started(to, bot);
    const body = { password: alice.password };
    const path = `/v1/oauth2/applications/${id}/bot/reset-token`;
    const { token } = await ask(from, 200, 'POST', path, { as: alice.token, body });
    await socket.until(() => socket.isRevoked, 'its end');
    await botApp(to, bot, 401);
    await botApp(to, token);
    demand(socket.faults.length === 0, socket.faults.join('; '));
  },

  async 'a webhook'(from, to) {
    const alice = await register(from, 'alice');
    const { id, path } = await newHook(from, alice.token);
    await ask(to, 200, 'GET', path);
    const body = { password: alice.password };
    const { url } = await ask(to, 200, 'POST', `/v1/webhooks/${id}/token/rotate`, { as: alice.token, body });
    await ask(from, 404, 'GET', path);
    await ask(from, 200, 'GET', new URL(url).pathname);
  },

  async 'a socket whose session ends'(from, to) {
    const alice = await register(from, 'alice');
    const token = await signIn(to, alice);
    const socket = await GatewaySession.started(from, token);
    await ask(to, 204, 'POST', '/v1/auth/logout', { as: token });
    await socket.until(() => socket.isRevoked, 'its end');
    demand(socket.faults.length === 0, socket.faults.join('; '));
  },

  async 'an event, and one after a Resume'(from, to) {
    const alice = await register(from, 'alice');
    const socket = await GatewaySession.started(from, alice.token);
    await describe(to, alice.token, 'told');
    await socket.heard('USER_UPDATE', ({ global_name }) => global_name === 'told');
    await socket.resumeAt(to);
    await describe(from, alice.token, 'told after Resume');
    await socket.heard('USER_UPDATE', ({ global_name }) => global_name === 'told after Resume');
    await socket.resumeAt(from);
    demand(socket.faults.length === 0, socket.faults.join('; '));
    socket.close();
  },

  async 'tokens in mail'(from, to) {
    const alice = await register(from, 'alice');
    const { token } = await mailTo(from, alice.email, 'email_verification');
    await ask(to, 204, 'POST', '/v1/auth/verify', { body: { token } });
    await ask(to, 204, 'POST', '/v1/auth/forgot', { body: { email: alice.email } });
    const reset = await mailTo(to, alice.email, 'password_reset');
    const password = 'another long password';
    await ask(from, 200, 'POST', '/v1/auth/reset', { body: { token: reset.token, password } });
    await me(to, alice.token, 401);
    await me(from, await signIn(to, { ...alice, password }));
  },

  async 'an authenticator and a sign-in in two steps'(from, to) {
    const alice = await register(from, 'alice');
    const mailed = await mailTo(from, alice.email, 'email_verification');
    await ask(from, 204, 'POST', '/v1/auth/verify', { body: { token: mailed.token } });
    const secret = new Secret({ size: 20 });
    const enabled = await ask(from, 200, 'POST', '/v1/users/@me/mfa/totp/enable', {
      as: alice.token,
      body: { secret: secret.base32, code: codeOf(secret), password: alice.password },
    });
    const { ticket } = await login(from, alice);
    const second = (code, ofTicket) => ({ body: { ticket: ofTicket, code } });
    const { token } = await ask(to, 200, 'POST', '/v1/auth/login/mfa/totp', second(codeOf(secret, 30), ticket));
    await me(from, token);
    const [{ code }] = enabled.backup_codes;
    const { ticket: next } = await login(to, alice);
    await ask(from, 200, 'POST', '/v1/auth/login/mfa/totp', second(code, next));
    const { ticket: last } = await login(from, alice);
    await ask(to, 400, 'POST', '/v1/auth/login/mfa/totp', second(code, last));
  },

  async 'a ban and its end'(from, to, root) {
    const alice = await register(to, 'alice');
    const socket = await GatewaySession.started(to, alice.token);
    const path = `/v1/admin/users/${alice.id}/ban`;
    await ask(from, 200, 'PUT', path, { as: root.token, body: { duration_hours: 0 } });
    await me(to, alice.token, 401);
    await socket.until(() => socket.isRevoked, 'its end');
    const { email, password } = alice;
    await ask(to, 403, 'POST', '/v1/auth/login', { body: { email, password } });
    await ask(to, 200, 'DELETE', path, { as: root.token });
    await me(to, await signIn(from, alice));
  },

  async 'ACLs and an Admin key'(from, to, root) {
    const alice = await register(from, 'alice');
    const grant = (front, acls) =>
      ask(front, 200, 'PUT', `/v1/admin/users/${alice.id}/acls`, { as: root.token, body: { acls } });
    await grant(from, ['admin:authenticate', 'admin_api_key:manage']);
    const body = { name: 'key', acls: ['admin:authenticate'] };
    const { key, key_id } = await ask(to, 200, 'POST', '/v1/admin/api-keys', { as: alice.token, body });
    const asked = (front, expected) => ask(front, expected, 'GET', '/v1/admin/users/@me', { as: `Admin ${key}` });
    await asked(from, 200);
    await ask(from, 200, 'DELETE', `/v1/admin/api-keys/${key_id}`, { as: alice.token });
    await asked(to, 401);
    await grant(to, []);
    await ask(from, 403, 'GET', '/v1/admin/users/@me', { as: alice.token });
  },

  async 'a setting of the instance'(from, to, root) {
    const product_name = `as ${from.name} says`;
    const body = { app_public: { branding: { product_name } } };
    await ask(from, 200, 'PATCH', '/v1/admin/instance/config', { as: root.token, body });
    await askUntil((shown) => shown.product_name === product_name, to, 200, 'GET', '/.well-known/service');
  },
};

/** Runs all checks in both directions between two replicas. Returns their number and the failures. */
export async function cross(one, other, root) {
  const crossings = Object.entries(CROSSINGS);
  const faults = [];
  const ways = [
    [one, other],
    [other, one],
  ];
  for (const [from, to] of ways) {
    const left = [...crossings];
    const next = async () => {
      for (let one = left.pop(); one; one = left.pop()) {
        const [what, work] = one;
        await work(from, to, root).catch(({ message }) =>
          faults.push(`${what}, ${from.name} to ${to.name}: ${message}`),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }
  return { count: crossings.length * ways.length, faults };
}
