/** The servers whose OAuth2 operations are compared, and the load on them. */
import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { cpuSeconds } from '../lib.mjs';

export const CONNECTIONS = 32;

/** A server, the paths of its operations, and the connections of the load. */
class Subject {
  constructor(server, paths) {
    this.server = server;
    this.paths = paths;
    this.pool = new Pool(server.url, { connections: CONNECTIONS });
  }

  async call(method, path, { authorization, body, form } = {}) {
    const { statusCode, body: answer } = await this.pool.request({
      method,
      path,
      headers: {
        ...(authorization ? { authorization } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      body: form ? new URLSearchParams(form).toString() : body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  asClient(path, form) {
    const { client_id: id, client_secret: secret } = this.client;
    const credentials = [id, secret].map(encodeURIComponent).join(':');
    return this.call('POST', path, { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, form });
  }

  exchange(code) {
    const redirect_uri = this.client.redirect_uris[0];
    return this.asClient(this.paths.token, { grant_type: 'authorization_code', code, redirect_uri });
  }

  refresh(token) {
    return this.asClient(this.paths.token, { grant_type: 'refresh_token', refresh_token: token });
  }

  introspect(token) {
    return this.asClient(this.paths.introspection, { token });
  }

  userinfo(token) {
    return this.call('GET', this.paths.userinfo, { authorization: `Bearer ${token}` });
  }
}

export class Service extends Subject {
  sessions = [];
  turn = 0;

  constructor(server, userinfo = '/v1/oauth2/userinfo') {
    super(server, { token: '/v1/oauth2/token', introspection: '/v1/oauth2/introspect', userinfo });
  }

  /** Many users sign in at one application, because exchanges with the scope `openid` lock the session. */
  async prepare(codes, tokens, { scope = 'identify', alg } = {}) {
    if (this.sessions.length === 0) this.sessions = await inTurn(CONNECTIONS, () => this.register());
    if (!this.client || alg !== this.alg) await this.newApplication(alg);
    this.scope = scope;
    const made = await inTurn(codes + tokens, () => this.code());
    const pairs = await Promise.all(made.slice(codes).map((code) => this.exchange(code)));
    return { codes: made.slice(0, codes), tokens: pairs.map(({ access_token }) => access_token) };
  }

  async register() {
    const account = {
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password: randomBytes(12).toString('hex'),
    };
    return (await this.call('POST', '/v1/auth/register', { body: account })).token;
  }

  async newApplication(alg) {
    const { id, ...rest } = await this.call('POST', '/v1/oauth2/applications', {
      authorization: this.sessions[0],
      body: {
        ...{ name: 'Bench', redirect_uris: ['https://client.example/callback'] },
        ...(alg && { id_token_signed_response_alg: alg }),
      },
    });
    this.alg = alg;
    this.client = { client_id: id, ...rest };
  }

  async code() {
    const { client_id, redirect_uris } = this.client;
    const { redirect_to } = await this.call('POST', '/v1/oauth2/authorize/consent', {
      authorization: this.sessions[this.turn++ % this.sessions.length],
      body: { client_id, redirect_uri: redirect_uris[0], scope: this.scope },
    });
    return new URL(redirect_to).searchParams.get('code');
  }
}

export class Peer extends Subject {
  constructor(server) {
    super(server, { token: '/token', introspection: '/token/introspection', userinfo: '/me' });
  }

  async prepare(codes, tokens, options) {
    const asked = { codes, tokens, ...options, ...(!this.client && { people: 1 }) };
    const made = await this.call('GET', `/prepare?${new URLSearchParams(asked)}`);
    this.client = made.client;
    return made;
  }
}

/** Returns `count` results of `make`, which as many workers call as there are connections. */
export async function inTurn(count, make) {
  const results = [];
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun++;
      results.push(await make());
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return results;
}

/** Measures the request rate of `CONNECTIONS` workers for some seconds, and the CPU time of the server per request. */
export async function measure({ server }, seconds, work) {
  const cpu = cpuSeconds(server);
  const begun = performance.now();
  const requests = await work(begun + seconds * 1000);
  const elapsed = (performance.now() - begun) / 1000;
  return { rate: requests / elapsed, cpu: ((cpuSeconds(server) - cpu) * 1e6) / requests };
}

/** Each worker repeats `step` on its own state until the deadline. Returns the number of steps of all workers. */
export async function repeatedly(states, deadline, step) {
  let count = 0;
  const worker = async (state) => {
    for (let current = state; performance.now() < deadline; count++) current = await step(current);
  };
  await Promise.all(states.map(worker));
  return count;
}
