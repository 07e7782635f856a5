/**
 * better-auth on PostgreSQL with joins, which its documentation recommends for it, and without its rate limits for
 * production. `COOKIE_CACHE=on` trusts a signed cookie for the whole run. `OAUTH=on` adds its OAuth 2.1 provider.
 */
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import { origin, PASSWORD, pool, serve } from './serve.mjs';

const redirectUri = 'https://client.example/callback';
const oauth = [
  jwt(),
  oauthProvider({ loginPage: '/login', consentPage: '/consent', scopes: ['openid', 'offline_access', 'api'] }),
];
const options = {
  baseURL: origin,
  secret: 'a-secret-of-the-benchmark-and-of-nothing-else',
  database: pool,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  advanced: { database: { joins: true } },
  session: { cookieCache: { enabled: process.env.COOKIE_CACHE === 'on', maxAge: 24 * 60 * 60 } },
  disabledPaths: ['/token'],
  plugins: process.env.OAUTH === 'on' ? oauth : [],
};
const auth = betterAuth(options);

async function register(n) {
  const login = { email: `person${n}@example.com`, password: PASSWORD };
  const request = new Request(`${origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...login, name: `person${n}` }),
  });
  const response = await auth.handler(request);
  if (!response.ok) throw new Error(`registering answered ${response.status} ${await response.text()}`);
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { login, caller: { cookie: cookies.join('; ') } };
}

let person;
let client;

async function begin(count) {
  await pool.query('DROP SCHEMA public CASCADE');
  await pool.query('CREATE SCHEMA public');
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
  const made = [];
  while (made.length < count) made.push(await register(made.length));
  [person] = made;
  if (process.env.OAUTH === 'on') {
    const body = {
      redirect_uris: [redirectUri],
      scope: 'offline_access api',
      grant_types: ['authorization_code', 'refresh_token'],
      skip_consent: true,
    };
    client = await auth.api.adminCreateOAuthClient({ body, headers: new Headers(person.caller) });
  }
  return { callers: made.map(({ caller }) => caller), logins: made.map(({ login }) => login) };
}

async function code(challenge) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'offline_access api',
    state: 'bench',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const response = await auth.handler(
    new Request(`${origin}/api/auth/oauth2/authorize?${query}`, { headers: person.caller }),
  );
  return new URL(response.headers.get('location')).searchParams.get('code');
}

async function prepare({ people, codes, challenge }) {
  const begun = people ? await begin(Number(people)) : {};
  const made = [];
  while (made.length < (codes ?? 0)) made.push(await code(challenge));
  return { ...begun, client, codes: made };
}

serve(toNodeHandler(auth), prepare);
