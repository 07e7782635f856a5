/** Mixed load at a fixed rate on random replicas, and a record of what was acknowledged. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { call, enrol } from '../enrol.mjs';
import { Listener } from './listener.mjs';

const AT_ONCE = 96;
const TIMEOUT_MS = 15_000;
const SESSIONS = 40;
const TRIES = 20;
const CALLBACK = 'http://127.0.0.1/callback';
const me = '/v1/users/@me';

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
const pathOf = (url) => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

export class Load {
  people = [];
  /** Acknowledged uploads: the path and the digest of each. */
  files = new Map();
  done = {};
  /**
   * Unexpected responses with their counts. `limited`: responses with 429. `skipped`: operations above the concurrency
   * limit.
   */
  unexpected = new Map();
  statuses = {};
  limited = 0;
  skipped = 0;
  #open = [];
  #verifications = [];
  #accounts = new Map();
  #running = new Set();
  #count = 0;

  /** @param surroundings the replicas, their ledger, the source of randomness, the mailbox and the current fault */
  constructor({ replicas, ledger, random, mailbox, faultNow }) {
    Object.assign(this, { replicas, ledger, random, faultNow });
    this.pools = replicas.map(
      ({ url }) => new Pool(url, { connections: 24, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }),
    );
    mailbox.onToken = (to, token) => this.#verifications.push({ to, token });
  }

  /** Creates users with credentials of each kind, a webhook and a gateway client. */
  async enter(count) {
    while (this.people.length < count) {
      const { person, hook } = await this.#enrolled();
      const listener = new Listener(person.session, () => this.random.pick(this.replicas).url, this.#address());
      this.ledger.opened(person.session);
      this.people.push({ ...person, hook: { id: hook.id, path: pathOf(hook.url) }, listener });
    }
  }

  /** Retries, because the first responses on a busy machine may be errors. Nothing is checked yet. */
  async #enrolled() {
    for (let tries = 1; ; tries++) {
      try {
        const { url } = this.random.pick(this.replicas);
        const headers = { 'x-forwarded-for': this.#address() };
        const person = await enrol(url, headers);
        const options = { headers, authorization: person.session, body: { name: 'hook' } };
        return { person, hook: await call(url, 'POST', '/v1/users/@me/webhooks', options) };
      } catch (error) {
        if (tries === TRIES) throw error;
      }
    }
  }

  #address() {
    return `10.9.${Math.floor(this.random.between(0, 8))}.${Math.floor(this.random.between(1, 250))}`;
  }

  #name(what) {
    return `${what}-${++this.#count}`;
  }

  async send(method, path, { authorization, body, form, bytes, on = this.random.pick(this.pools) } = {}) {
    const answer = await on.request({
      method,
      path,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'x-forwarded-for': this.#address(),
        ...(authorization ? { authorization } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      body: bytes ?? (form ? new URLSearchParams(form).toString() : body && JSON.stringify(body)),
    });
    const raw = Buffer.from(await answer.body.arrayBuffer());
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, body: isJson && raw.length > 0 ? JSON.parse(raw) : undefined, raw };
  }

  /** Sends a request and returns its outcome. `also` lists further statuses that are expected. */
  async attempt(method, path, options = {}, { expected = 200, also = [] } = {}) {
    const before = this.faultNow();
    try {
      const answer = await this.send(method, path, options);
      const { status, body } = answer;
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      if (status === expected) return { outcome: 'ok', isAnswered: true, ...answer };
      if (status === 429) this.limited++;
      else if (!also.includes(status)) this.#wonder(method, path, before, status, body);
      return { outcome: status >= 500 ? 'unknown' : 'refused', isAnswered: true, ...answer };
    } catch (error) {
      this.#wonder(method, path, before, error.name);
      return { outcome: 'unknown', isAnswered: false };
    }
  }

  /** Without a fault, each response must be as expected. During a fault, 503 and missing responses are also allowed. */
  #wonder(method, path, before, status, body) {
    const fault = before ?? this.faultNow();
    // A process that was frozen rejects the requests that arrived in that time as too late.
    if (fault === 'replica frozen' && status === 408) return;
    if (fault && (status === 503 || typeof status === 'string')) return;
    const route = path.replace(/\?.*/, '').replace(/\d{6,}|[\w-]{24,}/g, '*');
    const codes = [body, ...(body?.errors ?? [])].flatMap((one) => one?.code ?? []);
    const what = `${method} ${route}: ${[status, ...codes].join(' ')} (${fault ?? 'no fault'})`;
    this.#found(what);
  }

  #found(what) {
    this.unexpected.set(what, (this.unexpected.get(what) ?? 0) + 1);
  }

  /** Reserves a user for `work`, so that operations of one user run one after another. */
  async #alone(work) {
    const person = this.random.pick(this.people.filter(({ isBusy }) => !isBusy));
    if (!person) return;
    person.isBusy = true;
    await work(person).finally(() => {
      person.isBusy = false;
    });
  }

  operations = {
    'read by session': [22, () => this.attempt('GET', me, { authorization: this.random.pick(this.people).session })],
    'read by OAuth token': [8, () => this.#readByToken()],
    'malformed credential': [
      2,
      () => this.attempt('GET', me, { authorization: 'Bearer  two blanks' }, { expected: 401 }),
    ],
    'sign-in, and the oldest session revoked': [9, () => this.#signIn()],
    'profile written': [15, () => this.#alone((person) => this.#write(person))],
    'code exchanged': [6, () => this.#alone((person) => this.#exchange(person))],
    'token refreshed': [9, () => this.#alone((person) => this.#refresh(person))],
    'account registered': [4, () => this.#register()],
    'address verified': [5, () => this.#verify()],
    upload: [5, () => this.#upload()],
    'message to the gateway': [13, () => this.#message()],
    'gateway client that resumes': [2, () => this.#drop()],
  };

  #readByToken() {
    const person = this.random.pick(this.people.filter(({ isBusy, refresh }) => !isBusy && refresh));
    return person && this.attempt('GET', '/v1/oauth2/@me', { authorization: person.bearer }, { also: [401] });
  }

  async #signIn() {
    const { email, password } = this.random.pick(this.people);
    const { outcome, body } = await this.attempt('POST', '/v1/auth/login', { body: { email, password } });
    if (outcome !== 'ok') return;
    this.ledger.opened(body.token);
    this.#open.push(body.token);
    if (this.#open.length > SESSIONS) await this.#signOut(this.#open.shift());
  }

  async #signOut(authorization) {
    const { outcome } = await this.attempt('POST', '/v1/auth/logout', { authorization }, { expected: 204 });
    this.ledger.revoked(authorization, outcome);
    if (outcome === 'ok') await this.attempt('GET', me, { authorization }, { expected: 401 });
  }

  /** Changes the name, because there is no limit on how often it may change. */
  async #write({ id, session: authorization }) {
    const global_name = this.#name('name');
    const { outcome, isAnswered } = await this.attempt('PATCH', me, { authorization, body: { global_name } });
    this.ledger.wrote(`name of ${id}`, global_name, outcome, isAnswered);
  }

  /**
   * Sends the same request to one replica, or to two at the same time, of which one may succeed. Returns the success.
   */
  async #redeem(kind, secret, isRaced, work) {
    const pools = isRaced ? this.random.shuffled(this.pools).slice(0, 2) : [this.random.pick(this.pools)];
    const answers = await Promise.all(pools.map(work));
    for (const { outcome } of answers) this.ledger.redeemed(kind, secret, outcome);
    const isSure = answers.every(({ outcome }) => outcome !== 'unknown');
    return { ok: answers.find(({ outcome }) => outcome === 'ok'), isSure };
  }

  #token(person, form, on) {
    const basic = Buffer.from(`${person.applicationId}:${person.clientSecret}`).toString('base64');
    return this.attempt('POST', '/v1/oauth2/token', { authorization: `Basic ${basic}`, form, on }, { also: [400] });
  }

  async #exchange(person) {
    const body = { client_id: person.applicationId, scope: 'identify email', redirect_uri: CALLBACK };
    const consented = await this.attempt('POST', '/v1/oauth2/authorize/consent', {
      authorization: person.session,
      body,
    });
    if (consented.outcome !== 'ok') return;
    const code = new URL(consented.body.redirect_to).searchParams.get('code');
    const isRaced = this.random.next() < 0.4;
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    const { ok } = await this.#redeem('code', code, isRaced, (on) => this.#token(person, form, on));
    // Redeeming a code again revokes its tokens.
    this.#grant(person, isRaced ? undefined : ok?.body);
  }

  #grant(person, tokens) {
    person.refresh = tokens?.refresh_token;
    person.bearer = tokens && `Bearer ${tokens.access_token}`;
  }

  async #refresh(person) {
    const { refresh } = person;
    if (!refresh) return this.#exchange(person);
    const isRaced = this.random.next() < 0.2;
    const form = { grant_type: 'refresh_token', refresh_token: refresh };
    const { ok, isSure } = await this.#redeem('refresh token', refresh, isRaced, (on) => this.#token(person, form, on));
    if (!isRaced && isSure && !ok) this.#found('a refresh token that was acknowledged is refused');
    this.#grant(person, isRaced ? undefined : ok?.body);
  }

  async #register() {
    const email = `${this.#name('somebody')}@example.com`;
    const { outcome, body } = await this.attempt('POST', '/v1/auth/register', {
      body: { email, password: 'a long enough password' },
    });
    this.ledger.made('account', email, outcome);
    if (outcome !== 'ok') return;
    this.#accounts.set(email, body.token);
    this.ledger.opened(body.token);
  }

  async #verify() {
    const { to, token } = this.#verifications.shift() ?? {};
    if (!this.#accounts.has(to)) return;
    const options = (on) => ({ body: { token }, on });
    const { ok } = await this.#redeem('verification token', token, true, (on) =>
      this.attempt('POST', '/v1/auth/verify', options(on), { expected: 204, also: [400, 404, 410] }),
    );
    if (ok) this.ledger.wrote(`verification of ${to}`, true, 'ok');
  }

  async #upload() {
    const bytes = randomBytes(2048);
    const { session: authorization } = this.random.pick(this.people);
    const attachments = [
      { id: 0, filename: 'file.bin', file_size: bytes.length, content_type: 'application/octet-stream' },
    ];
    const planned = await this.attempt('POST', '/v1/media/uploads', { authorization, body: { attachments } });
    if (planned.outcome !== 'ok') return;
    const { upload_url: url, upload_filename } = planned.body.attachments[0];
    // The URL was signed by one clock and is checked by another.
    const also = this.faultNow() === 'clock stepped' ? [400, 401, 403, 404, 410] : [];
    const sent = await this.attempt('PUT', pathOf(url), { bytes }, { also });
    if (sent.outcome !== 'ok') return;
    const body = { uploads: [{ upload_filename }] };
    const completed = await this.attempt('POST', '/v1/media/uploads/complete', { authorization, body }, { also });
    if (completed.outcome === 'ok') this.files.set(pathOf(completed.body.uploads[0].url), hash(bytes));
  }

  async #message() {
    const { hook } = this.random.pick(this.people);
    const content = this.#name('message');
    const { outcome } = await this.attempt('POST', `${hook.path}?wait=true`, { body: { content } });
    this.ledger.made('message', content, outcome);
  }

  /** Does nothing while Redis is lost, because a client that is away at that time may lose its session. */
  async #drop() {
    if (this.faultNow() !== 'Redis lost') this.random.pick(this.people).listener.drop();
  }

  #launch(names) {
    if (this.#running.size >= AT_ONCE) {
      this.skipped++;
      return;
    }
    const name = this.random.pick(names);
    const work = Promise.resolve(this.operations[name][1]()).finally(() => this.#running.delete(work));
    this.done[name] = (this.done[name] ?? 0) + 1;
    this.#running.add(work);
  }

  /** Starts one operation by name, instead of a random one. */
  begin(name) {
    this.#launch([name]);
  }

  async run(rate, signal) {
    const names = Object.entries(this.operations).flatMap(([name, [often]]) =>
      Array.from({ length: often }, () => name),
    );
    const begun = performance.now();
    for (let launched = 0; !signal.aborted; await delay(10)) {
      const due = ((performance.now() - begun) / 1000) * rate;
      for (; launched < due; launched++) this.#launch(names);
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Reads the current state, for comparison with the ledger. */
  async look(query) {
    const cells = new Map();
    const read = (name, token, member) => async () => {
      if (this.ledger.cells.has(name)) cells.set(name, (await this.#patiently(token)).body[member]);
    };
    const [sessions, files] = [new Map(), []];
    const work = [
      ...this.people.map(({ id, session }) => read(`name of ${id}`, session, 'global_name')),
      ...[...this.#accounts].map(([email, token]) => read(`verification of ${email}`, token, 'verified')),
      ...[...this.ledger.sessions.keys()].map((token) => async () => {
        sessions.set(token, (await this.#patiently(token)).status);
      }),
      ...this.people.map(({ id, bearer: authorization }) => async () => {
        if (!authorization) return;
        const { status } = await this.send('GET', '/v1/oauth2/@me', { authorization });
        if (status !== 200) files.push(`the access token of ${id} is answered with ${status}`);
      }),
      ...[...this.files].map(([path, digest]) => async () => {
        const { status, raw } = await this.send('GET', path);
        if (status !== 200 || hash(raw) !== digest) files.push(`upload ${path} is answered with ${status}`);
      }),
    ];
    const lane = async () => {
      for (let next = work.pop(); next; next = work.pop()) await next();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    const counts = async (text) => new Map((await query(text)).map(({ name, count }) => [name, count]));
    const things = new Map([
      ['account', await counts('SELECT email AS name, count(*)::int FROM account WHERE email IS NOT NULL GROUP BY 1')],
      ['message', await counts('SELECT content AS name, count(*)::int FROM webhook_message GROUP BY 1')],
    ]);
    return { cells, sessions, things, files };
  }

  async #patiently(authorization) {
    for (;;) {
      const answer = await this.send('GET', me, { authorization });
      if (answer.status !== 429) return answer;
      await delay(500);
    }
  }

  async close() {
    for (const { listener } of this.people) listener.close();
    for (const pool of this.pools) await pool.destroy();
  }
}
