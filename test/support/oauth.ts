import { createHash, randomBytes } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import type { TestResponse } from './exchange.js';
import { expectApiError } from './expect-api-error.js';
import type { Gatehouse, ServiceEndpoint } from './gatehouse.js';
import { expect } from './optional-packages.js';
import { type Persona, person } from './personas.js';

/** An application as its owner created it, with the credentials of its client. */
export interface App {
  readonly id: string;
  readonly owner: Persona;
  /** Absent for a public client. */
  readonly secret: string | undefined;
  /** The `Authorization` value of the bot. */
  readonly bot: string;
  /** The first registered redirect URI. */
  readonly redirectUri: string;
}

/** The redirect URI of the clients that the test kit creates. */
export const CALLBACK = 'https://client.example/callback';

/** Creates an application with a redirect URI. `input` contains further members of the request. */
export async function newApp(
  service: ServiceEndpoint,
  owner: Persona,
  input: Record<string, unknown> = {},
): Promise<App> {
  const response = await service
    .as(owner)
    .post('/v1/oauth2/applications', { name: 'Client', redirect_uris: [CALLBACK], ...input });
  expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: expect.anything() });
  const { id, client_secret: secret, bot, redirect_uris: uris } = response.body;
  return { id, owner, secret, bot: `Bot ${bot.token}`, redirectUri: uris[0] ?? CALLBACK };
}

/** The header `Authorization` of a confidential client. */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/**
 * Sends a form as the application. A confidential client uses Basic authentication, a public client sends `client_id`.
 */
export function asApp(
  service: ServiceEndpoint,
  app: App,
  path: string,
  form: Record<string, string>,
): Promise<TestResponse> {
  return app.secret === undefined
    ? service.anonymous.form(path, { client_id: app.id, ...form })
    : service.as(basic(app.id, app.secret)).form(path, form);
}

/** A PKCE verifier with its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Authorizes an application as an account, like the consent page. */
export const consent = (
  service: ServiceEndpoint,
  account: { authorization: string },
  app: App,
  more: Record<string, unknown> = {},
): Promise<TestResponse> =>
  service.as(account).post('/v1/oauth2/authorize/consent', {
    client_id: app.id,
    redirect_uri: app.redirectUri,
    scope: 'identify',
    ...more,
  });

/** The query parameters of a redirect. */
export const parametersOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams);

/** Consents and returns the authorization code from the redirect. */
export async function newCode(
  service: ServiceEndpoint,
  account: { authorization: string },
  app: App,
  more: Record<string, unknown> = {},
): Promise<string> {
  const response = await consent(service, account, app, more);
  expect({ status: response.status, body: response.body }).toEqual({
    status: 200,
    body: { redirect_to: expect.any(String) },
  });
  return parametersOf(response.body.redirect_to).code as string;
}

/** Exchanges an authorization code for tokens. */
export const exchange = (
  service: ServiceEndpoint,
  app: App,
  code: string,
  more: Record<string, string> = {},
): Promise<TestResponse> =>
  asApp(service, app, '/v1/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    ...more,
  });

/** Exchanges a refresh token for new tokens. */
export const refresh = (
  service: ServiceEndpoint,
  app: App,
  token: string,
  more: Record<string, string> = {},
): Promise<TestResponse> =>
  asApp(service, app, '/v1/oauth2/token', { grant_type: 'refresh_token', refresh_token: token, ...more });

/** The response to an exchange of a code or a refresh token. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

/** Completes the authorization code flow. A public client uses PKCE. */
export async function newTokens(
  service: ServiceEndpoint,
  account: { authorization: string },
  app: App,
  scope = 'identify',
): Promise<Tokens> {
  const { verifier, challenge } = pkce();
  const isPublic = app.secret === undefined;
  const code = await newCode(service, account, app, {
    scope,
    ...(isPublic ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
  });
  const response = await exchange(service, app, code, isPublic ? { code_verifier: verifier } : {});
  expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: expect.anything() });
  return response.body;
}

/** Two users and a client of every kind. `app` and `stranger` are confidential. All clients belong to `owner`. */
export async function clients(service: ServiceEndpoint) {
  const alice = await person(service, 'alice');
  const owner = await person(service, 'owner');
  const app = await newApp(service, owner);
  const stranger = await newApp(service, owner);
  const publicApp = await newApp(service, owner, { client_type: 'public' });
  return { alice, owner, app, stranger, publicApp };
}

/** Account states in which no tokens are issued, as SQL assignments of flags and bans. */
export const REJECTED_ACCOUNT_STATES = [
  ...['flags = 1::bigint << 34', 'flags = 1::bigint << 35', 'flags = 1::bigint << 36', 'flags = 1::bigint << 38'],
  ...['banned = true', "banned = true, banned_until = now() + interval '1 hour'"],
];

/**
 * Sets flags or a ban directly in the database, runs `work` and resets them. Operations of other areas set these flags
 * and bans in production.
 */
export async function inState<T>(
  service: Gatehouse,
  { id }: { id: string },
  assignment: string,
  work: () => Promise<T>,
): Promise<T> {
  await service.sql(`UPDATE account SET ${assignment} WHERE id = $1`, [id]);
  try {
    return await work();
  } finally {
    await service.sql('UPDATE account SET flags = 0, banned = false, banned_until = NULL WHERE id = $1', [id]);
  }
}

/** Whether an access token is valid for the operation that every token may use. */
export async function isTokenActive(service: ServiceEndpoint, accessToken: string): Promise<boolean> {
  const { status } = await service.as(`Bearer ${accessToken}`).get('/v1/oauth2/@me');
  expect([200, 401]).toContain(status);
  return status === 200;
}

/** Asserts that everything that an account granted to an application is invalid and deleted. */
export async function expectGrantRemoved(
  service: Gatehouse,
  app: App,
  account: { id: string },
  { tokens, code }: { tokens: readonly Tokens[]; code: string },
): Promise<void> {
  for (const { access_token, refresh_token } of tokens) {
    expect(await isTokenActive(service, access_token)).toBe(false);
    expectApiError(await refresh(service, app, refresh_token), 'INVALID_GRANT');
  }
  expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
  for (const table of ['oauth_code', 'oauth_family', 'oauth_token', 'oauth_bot_grant']) {
    const query = `SELECT 1 FROM ${table} WHERE account_id = $1 AND application_id = $2`;
    expect({ table, left: await service.sql(query, [account.id, app.id]) }).toEqual({ table, left: [] });
  }
}

/** Records the notices of a topic that the service announces from now on. */
export function noticesOf(service: Gatehouse, topic: string) {
  const replica = service.app.get(ReplicaBus);
  const fence = randomBytes(8).toString('hex');
  let received: Record<string, unknown>[] = [];
  let passed: () => void = () => {};
  replica.on(topic, (data) => {
    if (data.fence === fence) passed();
    else if (!('fence' in data)) received.push(data);
  });
  return {
    /** All notices that were announced since the last call, in order. */
    async take(): Promise<Record<string, unknown>[]> {
      const arrived = new Promise<void>((resolve) => {
        passed = resolve;
      });
      await service.app.get(Database).transaction((tx) => replica.announce(tx, { topic, data: { fence } }));
      await arrived;
      const taken = received;
      received = [];
      return taken;
    },
  };
}
