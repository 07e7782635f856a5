import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { astray, either, nearly, unknownId } from './likeness.mjs';
import { basic, freshEmail, freshPassword, PASSKEY_ORIGIN, RELYING_PARTY } from './stage.mjs';

const login = (email) => ({ method: 'POST', path: '/v1/auth/login', body: { email, password: freshPassword() } });
const forgot = (email) => ({ method: 'POST', path: '/v1/auth/forgot', body: { email } });
const introspect = (authorization, token) => ({
  method: 'POST',
  path: '/v1/oauth2/introspect',
  authorization,
  form: { token },
});

/** Compares a login to accounts in some state with a login to unknown email addresses. */
const loginOf = (name, prepare = async () => {}) => ({
  name: `login: ${name}, unknown address`,
  status: 400,
  async prepare(stage) {
    const addresses = await stage.addresses();
    await prepare(
      stage,
      addresses.people.map(({ id }) => id),
    );
    return addresses;
  },
  request: (isFirst, round, { pick }) => login(pick(isFirst, round)),
});

/** While accounts are hidden, registration does not sign the user in. */
const hideAccounts = (stage, isHidden) => stage.configure({ registration: { hide_existing_accounts: isHidden } });

/** How many email changes an account may start. */
const PER_ASKER = 3;

const sha256 = (data) => createHash('sha256').update(data).digest();

/** Stores a passkey of an account, as its registration would. Its private key is not kept. */
async function storedPasskey(stage, accountId) {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  // COSE key: a map of five entries, EC2, ES256, P-256 and the two coordinates.
  const head = Buffer.from('a5010203262001215820', 'hex');
  const key = [head, Buffer.from(x, 'base64url'), Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')];
  const id = randomBytes(32).toString('base64url');
  await stage.sql('INSERT INTO passkey (id, account_id, name, public_key) VALUES ($1, $2, $3, $4)', [
    ...[id, accountId, 'a key', Buffer.concat(key)],
  ]);
  return id;
}

/** A well-formed assertion whose signature matches no key. */
function assertion(id, accountId, challenge) {
  const client = JSON.stringify({ type: 'webauthn.get', challenge, origin: PASSKEY_ORIGIN, crossOrigin: false });
  const authenticatorData = Buffer.concat([sha256(RELYING_PARTY), Buffer.from([0x05]), Buffer.alloc(4)]);
  const integer = () => Buffer.concat([Buffer.from([2, 32, 0x11]), randomBytes(31)]);
  const signature = Buffer.concat([Buffer.from([0x30, 68]), integer(), integer()]);
  const response = {
    clientDataJSON: Buffer.from(client).toString('base64url'),
    authenticatorData: authenticatorData.toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: Buffer.from(accountId).toString('base64url'),
  };
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
}

async function webhookOf(stage, { authorization }) {
  return stage.ask({ method: 'POST', path: '/v1/users/@me/webhooks', authorization, body: { name: 'hook' } });
}

/** Live sessions, one for each request that ends one. */
async function sessions(stage, { id }) {
  const tokens = Array.from({ length: stage.rounds }, () => astray(`flx_${'0'.repeat(36)}`, 4));
  const digests = tokens.map((token) => sha256(token));
  await stage.sql(
    `INSERT INTO session (id, digest, account_id, ip)
     SELECT $2::bigint - n, digest, $2, '127.0.0.1' FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)`,
    [digests, id],
  );
  return tokens;
}

/**
 * Operations that must not reveal what exists. In each pair, the first request is for something that exists, and the
 * second for something that does not.
 */
export const ENUMERATION = [
  loginOf('wrong password'),
  loginOf('account without a password', (stage, ids) =>
    stage.sql('UPDATE account SET password_hash = NULL WHERE id = ANY ($1::bigint[])', [ids]),
  ),
  loginOf('suspended account', (stage, ids) =>
    stage.sql('UPDATE account SET banned = true WHERE id = ANY ($1::bigint[])', [ids]),
  ),
  {
    name: 'forgot: address of an account, unknown address',
    status: 204,
    prepare: (stage) => stage.addresses(),
    request: (isFirst, round, { pick }) => forgot(pick(isFirst, round)),
  },
  {
    name: 'after forgot: address of an account, unknown address',
    status: 200,
    prepare: async (stage) => ({ stage, ...(await stage.addresses()) }),
    async request(isFirst, round, { stage, pick }) {
      await stage.ask(forgot(pick(isFirst, round)));
      return { path: '/.well-known/service' };
    },
  },
  {
    name: 'passkey: wrong assertion of a known credential, of an unknown one',
    status: 401,
    async prepare(stage) {
      const { id } = await stage.register();
      return { stage, id, credential: await storedPasskey(stage, id) };
    },
    async request(isFirst, _, { stage, id, credential }) {
      const options = { method: 'POST', path: '/v1/auth/webauthn/authentication-options' };
      const { challenge } = await stage.ask(options);
      const response = assertion(either(isFirst, credential, randomBytes(32).toString('base64url')), id, challenge);
      return { method: 'POST', path: '/v1/auth/webauthn/authenticate', body: { challenge, response } };
    },
  },
  {
    name: 'bot token: wrong secret of a known application, of an unknown one',
    status: 401,
    prepare: (stage) => stage.enrol(),
    request: (isFirst, _, { applicationId, bot }) => ({
      path: '/v1/users/@me',
      authorization: `Bot ${either(isFirst, applicationId, unknownId(applicationId))}.${astray(bot.split('.')[1])}`,
    }),
  },
  {
    name: 'Identify by bot: wrong secret of a known application, of an unknown one',
    status: 4004,
    prepare: (stage) => stage.enrol(),
    request: (isFirst, _, { applicationId, bot }) => ({
      path: '/gateway',
      identify: `${either(isFirst, applicationId, unknownId(applicationId))}.${astray(bot.split('.')[1])}`,
    }),
  },
  {
    name: 'OAuth2 client: wrong secret of a known one, unknown one',
    status: 401,
    prepare: (stage) => stage.enrol(),
    request: (isFirst, _, { applicationId, clientSecret }) =>
      introspect(basic(either(isFirst, applicationId, unknownId(applicationId)), astray(clientSecret)), 'any'),
  },
  {
    name: 'OAuth2 client: public one that sends a secret, unknown one',
    status: 401,
    async prepare(stage) {
      const { authorization } = await stage.register();
      const body = { name: 'Bench', redirect_uris: ['http://127.0.0.1/callback'], client_type: 'public' };
      return stage.ask({ method: 'POST', path: '/v1/oauth2/applications', authorization, body });
    },
    request: (isFirst, _, { id }) =>
      introspect(basic(either(isFirst, id, unknownId(id)), randomBytes(32).toString('base64url')), 'any'),
  },
  {
    name: "introspection: another client's token, unknown token",
    status: 200,
    async prepare(stage) {
      const { applicationId, clientSecret } = await stage.enrol();
      const { bearer } = await stage.enrol();
      return { authorization: basic(applicationId, clientSecret), token: bearer.split(' ')[1] };
    },
    request: (isFirst, _, { authorization, token }) => introspect(authorization, either(isFirst, token, astray(token))),
  },
  {
    name: "revocation: another client's token, unknown token",
    status: 200,
    async prepare(stage) {
      const { applicationId, clientSecret } = await stage.enrol();
      const { bearer } = await stage.enrol();
      return { authorization: basic(applicationId, clientSecret), token: bearer.split(' ')[1] };
    },
    request: (isFirst, _, { authorization, token }) => ({
      ...introspect(authorization, either(isFirst, token, astray(token))),
      path: '/v1/oauth2/token/revoke',
    }),
  },
  {
    name: 'Admin API key: wrong secret of a known key, of an unknown one',
    status: 401,
    prepare: (stage) => stage.adminKey(),
    request: (isFirst, _, { key_id: id, key }) => ({
      path: '/v1/admin/api-keys',
      authorization: `Admin fa_${either(isFirst, id, unknownId(id))}_${astray(key.split('_')[2])}`,
    }),
  },
  {
    name: "Admin API key: another administrator's, unknown one",
    status: 404,
    async prepare(stage) {
      const [{ key_id: id }, { owner }] = [await stage.adminKey(), await stage.adminKey()];
      return { id, authorization: owner.authorization };
    },
    request: (isFirst, _, { id, authorization }) => ({
      path: `/v1/admin/api-keys/${either(isFirst, id, unknownId(id))}`,
      authorization,
    }),
  },
  ...['GET', 'POST'].map((method) => ({
    name: `webhook, ${method}: wrong token of a known one, of an unknown one`,
    status: 404,
    prepare: async (stage) => webhookOf(stage, await stage.register()),
    request: (isFirst, _, { id, token }) => ({
      method,
      path: `/v1/webhooks/${either(isFirst, id, unknownId(id))}/${astray(token)}`,
      ...(method === 'POST' ? { body: { content: 'hello' } } : {}),
    }),
  })),
  {
    name: "webhook: right token of a suspended owner's, unknown one",
    status: 404,
    async prepare(stage) {
      const owner = await stage.register();
      const hook = await webhookOf(stage, owner);
      await stage.sql('UPDATE account SET banned = true WHERE id = $1', [owner.id]);
      return hook;
    },
    request: (isFirst, _, { id, token }) => ({
      path: `/v1/webhooks/${either(isFirst, id, unknownId(id))}/${either(isFirst, token, astray(token))}`,
    }),
  },
  {
    name: "webhook: another one's message, unknown message",
    status: 404,
    async prepare(stage) {
      const owner = await stage.register();
      const [hook, other] = [await webhookOf(stage, owner), await webhookOf(stage, owner)];
      const path = `/v1/webhooks/${other.id}/${other.token}?wait=true`;
      return { hook, message: await stage.ask({ method: 'POST', path, body: { content: 'hello' } }) };
    },
    request: (isFirst, _, { hook, message }) => ({
      path: `/v1/webhooks/${hook.id}/${hook.token}/messages/${either(isFirst, message.id, unknownId(message.id))}`,
    }),
  },
  {
    name: 'report of leaked credentials: live session, unknown one',
    status: 202,
    prepare: async (stage) => ({ live: await sessions(stage, await stage.register()) }),
    request: (isFirst, round, { live }) => ({
      method: 'POST',
      path: '/v1/credentials/revoke',
      body: { credentials: [either(isFirst, live[round], astray(live[round], 4))] },
    }),
  },
  {
    name: 'password reset: token of an erased account, unknown token',
    status: 200,
    async prepare(stage) {
      const { id } = await stage.register();
      const token = await stage.secret('password-reset', id);
      await stage.sql('DELETE FROM account WHERE id = $1', [id]);
      return { token };
    },
    request: (isFirst, _, { token }) => ({ path: `/v1/auth/reset/${either(isFirst, token, nearly(token))}` }),
  },
  {
    name: 'register, accounts hidden: taken address, free address',
    status: 200,
    async prepare(stage) {
      const addresses = await stage.addresses();
      await hideAccounts(stage, true);
      return addresses;
    },
    cleanUp: (stage) => hideAccounts(stage, false),
    request: (isFirst, round, { pick }) => ({
      method: 'POST',
      path: '/v1/auth/register',
      body: { email: either(isFirst, pick(true, round), freshEmail()), password: freshPassword() },
    }),
  },
  {
    name: 'new address, accounts hidden: taken address, free address',
    status: 200,
    async prepare(stage) {
      const { people: takers } = await stage.addresses();
      const askers = await stage.people(Math.ceil((2 * stage.rounds) / PER_ASKER));
      await hideAccounts(stage, true);
      return { stage, takers, askers };
    },
    cleanUp: (stage) => hideAccounts(stage, false),
    async request(isFirst, round, { stage, takers, askers }) {
      const { authorization } = askers[Math.floor((2 * round + (isFirst ? 0 : 1)) / PER_ASKER) % askers.length];
      const path = '/v1/users/@me/email-change';
      const { ticket, original_proof } = await stage.ask({
        method: 'POST',
        path: `${path}/start`,
        authorization,
        body: {},
      });
      const new_email = either(isFirst, takers[round % takers.length].email, freshEmail());
      return {
        method: 'POST',
        path: `${path}/request-new`,
        authorization,
        body: { ticket, new_email, original_proof },
      };
    },
  },
];
