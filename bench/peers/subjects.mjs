/** The measured subjects, and the requests that each of them uses for its jobs. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

const server = (name) => join(import.meta.dirname, '..', 'servers', `${name}.mjs`);
const service = join(import.meta.dirname, '../../dist/src/main.cjs');
const basic = ({ client_id: id, client_secret: secret }) =>
  `Basic ${Buffer.from([id, secret].map(encodeURIComponent).join(':')).toString('base64')}`;

const serviceEnvironment = {
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  // Turns load shedding off, because other programs may keep the CPU busy for a second.
  MAX_LOOP_DELAY_MS: '0',
  LOG_LEVEL: 'error',
  MAIL_TRANSPORT: 'none',
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  // Every session stays resumable for a while after its socket closes.
  GATEWAY_NUMBERS: JSON.stringify({ attempts_per_address: 1e6, payloads_per_address: 1e6, sessions_per_user: 1e6 }),
};

/** Prepares with the API of the service what the others create at `/prepare`. */
const ofService = {
  script: service,
  ours: true,
  async prepare(call, { people = 0, codes = 0, challenge }, state) {
    const made = { callers: [], logins: [] };
    for (let n = 0; n < people; n++) {
      const login = {
        email: `${randomBytes(6).toString('hex')}@example.com`,
        password: randomBytes(12).toString('hex'),
      };
      const { token } = await call('POST', '/v1/auth/register', { body: login });
      made.logins.push(login);
      made.callers.push({ authorization: token });
    }
    const headers = made.callers[0] ?? state.callers[0];
    made.client = state?.client;
    if (people) {
      const body = { name: 'Bench', redirect_uris: ['https://client.example/callback'] };
      const { id, ...rest } = await call('POST', '/v1/oauth2/applications', { headers, body });
      made.client = { client_id: id, ...rest };
    }
    const { client_id, redirect_uris } = made.client;
    const body = { client_id, redirect_uri: redirect_uris[0], scope: 'identify' };
    Object.assign(body, { code_challenge: challenge, code_challenge_method: 'S256' });
    const consent = async () => {
      const { redirect_to } = await call('POST', '/v1/oauth2/authorize/consent', { headers, body });
      return new URL(redirect_to).searchParams.get('code');
    };
    made.codes = await Promise.all(Array.from({ length: codes }, consent));
    return made;
  },
  caller: '/v1/users/@me',
  login: '/v1/auth/login',
  token: '/v1/oauth2/token',
  introspection: '/v1/oauth2/introspect',
};

const ofPeer = (name, { environment = {}, ...more }) => ({
  script: server(name),
  environment,
  prepare: (call, asked) => call('GET', `/prepare?${new URLSearchParams(asked)}`),
  ...more,
});

/** `asks`: the database queries that each request for the caller makes. */
export const SUBJECTS = {
  'bare node:http': { script: server('bare'), floor: true, caller: '/', asks: 'nobody' },
  'bare Nest, Fastify': {
    script: server('nest'),
    environment: { HTTP_PLATFORM: 'fastify' },
    floor: true,
    caller: '/v1/users/@me',
    asks: 'nobody',
  },
  'bare Nest, Express': {
    script: server('nest'),
    environment: { HTTP_PLATFORM: 'express' },
    floor: true,
    caller: '/v1/users/@me',
    asks: 'nobody',
  },
  'node:http and a statement': ofPeer('lookup', { floor: true, database: true, caller: '/me', asks: 'the database' }),
  'raw argon2': ofPeer('argon2', { floor: true, login: '/login' }),
  'Gatehouse, Fastify': {
    ...ofService,
    environment: { ...serviceEnvironment, HTTP_PLATFORM: 'fastify' },
    database: true,
    asks: 'the database',
  },
  'Gatehouse, Express': {
    ...ofService,
    environment: { ...serviceEnvironment, HTTP_PLATFORM: 'express' },
    database: true,
    asks: 'the database',
  },
  'better-auth': ofPeer('better-auth', {
    database: true,
    caller: '/api/auth/get-session',
    login: '/api/auth/sign-in/email',
    asks: 'the database',
  }),
  'better-auth, cookie cache': ofPeer('better-auth', {
    environment: { COOKIE_CACHE: 'on' },
    variant: true,
    database: true,
    caller: '/api/auth/get-session',
    asks: 'nobody',
  }),
  'better-auth, OAuth provider': ofPeer('better-auth', {
    environment: { OAUTH: 'on' },
    variant: true,
    database: true,
    token: '/api/auth/oauth2/token',
    introspection: '/api/auth/oauth2/introspect',
  }),
  'passport-jwt and a statement': ofPeer('passport-jwt', { database: true, caller: '/me', asks: 'the database' }),
  'passport-jwt': ofPeer('passport-jwt', {
    environment: { LOOKUP: 'off' },
    variant: true,
    database: true,
    caller: '/me',
    asks: 'nobody',
  }),
  'passport-jwt, key object': ofPeer('passport-jwt', {
    environment: { LOOKUP: 'off', KEY: 'object' },
    variant: true,
    database: true,
    caller: '/me',
    asks: 'nobody',
  }),
  'express-session': ofPeer('express-session', {
    database: true,
    caller: '/me',
    login: '/login',
    asks: 'the database',
  }),
  'express-session, touch off': ofPeer('express-session', {
    environment: { TOUCH: 'off' },
    variant: true,
    database: true,
    caller: '/me',
    asks: 'the database',
  }),
  'node-oauth2-server': ofPeer('oauth2-server', {
    database: true,
    caller: '/me',
    token: '/token',
    passwordGrant: true,
    login: '/token',
    asks: 'the database',
  }),
  'oidc-provider': ofPeer('oidc-provider', {
    database: true,
    caller: '/me',
    token: '/token',
    introspection: '/token/introspection',
    asks: 'the database',
  }),
  'oidc-provider, in memory': ofPeer('oidc-provider', {
    environment: { STORAGE: 'memory' },
    variant: true,
    // Without one it would create an embedded database that it does not use.
    database: true,
    caller: '/me',
    asks: 'nobody',
  }),
};

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** The requests of the jobs, in the form that `call` expects. */
export const requests = {
  login({ login, passwordGrant }, { client }, { email, password }, origin) {
    if (passwordGrant) {
      const body = new URLSearchParams({ grant_type: 'password', username: email, password }).toString();
      return { method: 'POST', path: login, headers: { ...form, authorization: basic(client) }, body };
    }
    return { method: 'POST', path: login, headers: { ...json, origin }, body: JSON.stringify({ email, password }) };
  },
  exchange: ({ token }, { client }, code, verifier) =>
    asClient(token, client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirect_uris[0],
      code_verifier: verifier,
    }),
  refresh: ({ token }, { client }, refreshToken) =>
    asClient(token, client, { grant_type: 'refresh_token', refresh_token: refreshToken }),
  introspect: ({ introspection }, { client }, accessToken) => asClient(introspection, client, { token: accessToken }),
};

function asClient(path, client, fields) {
  const headers = { ...form, authorization: basic(client) };
  return { method: 'POST', path, headers, body: new URLSearchParams(fields).toString() };
}
