import { setAcls } from '../support/admin.js';
import {
  type App,
  type CreatedWebhook,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  logIn,
  mailTo,
  newApp,
  newCode,
  newTokens,
  newWebhook,
  type Persona,
  parametersOf,
  person,
  race,
  refresh,
  signIn,
  sudoProof,
  type TestResponse,
  type Tokens,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

const AT_ONCE = 8;
/** Each round starts the lockdown at a different position among the other requests. */
const ROUNDS = Number(process.env.LOCKDOWN_ROUNDS ?? 3);

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const ok = ({ status, body }: TestResponse) => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const works = async (credential: string, path = '/v1/users/@me') =>
  (await service.as(credential).get(path)).status === 200;

/** A user whose password and session a thief also has. */
interface Robbed {
  readonly owner: Persona;
  /** Session token of the thief. */
  readonly thief: string;
  readonly app: App;
  readonly tokens: Tokens;
  readonly hook: CreatedWebhook;
  /** Token of the emailed lockdown link. */
  readonly link: string;
}

async function robbed(): Promise<Robbed> {
  const owner = await verifiedPerson(service, 'owner');
  await setAcls(service, owner, ['*']);
  const app = await newApp(service, owner);
  const tokens = await newTokens(service, owner, app);
  const hook = await newWebhook(service, owner);
  ok(await service.as(owner).post('/v1/users/@me/export', { password: owner.password }));
  const link = (await mailTo(service, owner.email, 'security_notice')).metadata.token as string;
  return { owner, thief: await signIn(service, owner), app, tokens, hook, link };
}

interface AttackerAction {
  /** Sends the request once more. */
  readonly again: (robbed: Robbed) => PromiseLike<TestResponse>;
  /** Returns whether the credential in the response works. */
  readonly lives: (response: TestResponse, robbed: Robbed) => Promise<boolean>;
}

/** Requests that a thief sends during the lockdown. Each one is prepared beforehand. */
const ATTACKER_ACTIONS: Record<string, (robbed: Robbed) => Promise<AttackerAction>> = {
  'token refreshes': async ({ owner, app, tokens }) => {
    const left = [tokens.refresh_token];
    while (left.length < AT_ONCE) left.push((await newTokens(service, owner, app)).refresh_token);
    return {
      again: () => refresh(service, app, left.pop() as string),
      lives: async ({ body }) =>
        (await isTokenActive(service, body.access_token)) ||
        (await refresh(service, app, body.refresh_token)).status === 200,
    };
  },
  'exchanges of codes': async ({ owner, app }) => {
    const codes: string[] = [];
    while (codes.length < AT_ONCE) codes.push(await newCode(service, owner, app));
    return {
      again: () => exchange(service, app, codes.pop() as string),
      lives: ({ body }) => isTokenActive(service, body.access_token),
    };
  },
  consents: async () => ({
    again: ({ app, thief }) =>
      service.as(thief).post('/v1/oauth2/authorize/consent', {
        ...{ client_id: app.id, redirect_uri: app.redirectUri, scope: 'identify' },
      }),
    lives: async ({ body }, { app }) => {
      const { code } = parametersOf(body.redirect_to);
      return (await exchange(service, app, code as string)).status === 200;
    },
  }),
  'resets of a bot token': async ({ owner, thief }) => ({
    again: ({ app }) =>
      service.as(thief).post(`/v1/oauth2/applications/${app.id}/bot/reset-token`, { password: owner.password }),
    lives: ({ body }) => works(`Bot ${body.token}`),
  }),
  'rotations of a webhook': async ({ owner, thief }) => ({
    again: ({ hook }) => service.as(thief).post(`/v1/webhooks/${hook.id}/token/rotate`, { password: owner.password }),
    lives: async ({ body }) => (await service.anonymous.get(new URL(body.url).pathname)).status === 200,
  }),
  'new webhooks': async ({ thief }) => ({
    again: () => service.as(thief).post('/v1/users/@me/webhooks', { name: 'hook' }),
    lives: async ({ body }) => (await service.anonymous.get(new URL(body.url).pathname)).status === 200,
  }),
  'new Admin API keys': async ({ thief }) => ({
    again: () => service.as(thief).post('/v1/admin/api-keys', { name: 'key', acls: ['admin_api_key:manage'] }),
    lives: ({ body }) => works(`Admin ${body.key}`, '/v1/admin/api-keys'),
  }),
  'new applications': async ({ thief }) => ({
    again: () => service.as(thief).post('/v1/oauth2/applications', { name: 'Client' }),
    lives: ({ body }) => works(`Bot ${body.bot.token}`),
  }),
};

/** Runs one lockdown among parallel actions. Returns the body of its response, and the successful actions. */
async function amid(place: number, lockdown: () => PromiseLike<TestResponse>, action: () => PromiseLike<TestResponse>) {
  const { responses } = await race(AT_ONCE + 1, (index) => (index === place ? lockdown() : action()));
  // A request that waits too long for a database connection gets 503 and has no effect.
  for (const response of responses.filter(({ status }) => status >= 500))
    expectApiError(response, 'SERVICE_UNAVAILABLE');
  const done = responses.filter((response, index) => index !== place && response.status < 300);
  return { locked: ok(responses[place] as TestResponse), done };
}

const placeOf = (round: number): number => Math.round((AT_ONCE * (round + 1)) / (ROUNDS + 1));

const LOCKDOWNS: Record<string, (robbed: Robbed) => PromiseLike<TestResponse>> = {
  'by the owner': ({ owner }) => service.as(owner).post('/v1/users/@me/lockdown', { password: owner.password }),
  'by the mailed link': ({ link }) => service.anonymous.post('/v1/auth/lockdown', { token: link }),
};

describe.each(Object.keys(LOCKDOWNS))('web.md 5: a lockdown %s', (by) => {
  const lockdown = LOCKDOWNS[by] as (robbed: Robbed) => PromiseLike<TestResponse>;

  test.each(Object.keys(ATTACKER_ACTIONS))('concurrent with %s of an attacker leaves none of them', async (what) => {
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await robbed();
      const { again, lives } = await (ATTACKER_ACTIONS[what] as (robbed: Robbed) => Promise<AttackerAction>)(victim);
      const { done } = await amid(
        placeOf(round),
        () => lockdown(victim),
        () => again(victim),
      );
      const living = await Promise.all(done.map((response) => lives(response, victim)));
      expect(living.filter(Boolean)).toEqual([]);
      const { thief, app, tokens, hook, owner } = victim;
      expect({
        thief: await works(thief),
        bot: await works(app.bot),
        access: await isTokenActive(service, tokens.access_token),
        hook: (await service.anonymous.get(hook.path)).status,
        caller: await works(owner.authorization),
      }).toEqual({ thief: false, bot: false, access: false, hook: 404, caller: by === 'by the owner' });
    }
  });
});

describe('web.md 5: a lockdown concurrent with sign-ins', () => {
  test('by the owner: the returned number of sessions is ended, and each end is recorded', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await person(service, 'owner');
      const known = [await signIn(service, owner)];
      const call = () => service.as(owner).post('/v1/users/@me/lockdown', { password: owner.password });
      const { locked, done } = await amid(placeOf(round), call, () => logIn(service, owner));
      const tokens = [...known, ...done.map(({ body }) => body.token as string)];
      const dead = (await Promise.all(tokens.map((token) => works(token)))).filter((lives) => !lives).length;
      const reported = await service.sql(
        "SELECT 1 FROM security_event WHERE account_id = $1 AND type = 'session_ended' AND data->>'reason' = 'lockdown'",
        [owner.id],
      );
      expect({ dead, told: reported.length }).toEqual({ dead: locked.ended.sessions, told: locked.ended.sessions });
      expect(await works(known[0] as string)).toBe(false);
    }
  });

  test('by the owner: a second factor requested before it gives no session', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await person(service, 'owner');
      const { backupCodes, authenticator } = await withTotp(service, owner);
      const proof = await sudoProof(service, owner, authenticator);
      const left: { ticket: string; code: string }[] = [];
      for (const code of backupCodes.slice(0, AT_ONCE)) {
        left.push({ ticket: ok(await logIn(service, owner)).ticket as string, code });
      }
      const call = () => service.as(owner).sudo(proof).post('/v1/users/@me/lockdown');
      const { done } = await amid(placeOf(round), call, () =>
        service.anonymous.post('/v1/auth/login/mfa/totp', left.pop()),
      );
      expect((await Promise.all(done.map(({ body }) => works(body.token)))).filter(Boolean)).toEqual([]);
    }
  });

  test('by the emailed link: no session is left, from any sign-in', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await robbed();
      const { link, owner } = victim;
      const call = () => service.anonymous.post('/v1/auth/lockdown', { token: link });
      const { done } = await amid(placeOf(round), call, () => logIn(service, owner));
      const tokens = [owner.authorization, victim.thief, ...done.map(({ body }) => body.token as string)];
      expect((await Promise.all(tokens.map((token) => works(token)))).filter(Boolean)).toEqual([]);
    }
  });
});
