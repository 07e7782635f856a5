import { createHash, randomBytes } from 'node:crypto';
import { enrol } from '../enrol.mjs';
import { letters } from './likeness.mjs';

/** The token for the first administrator, and the key that signs URLs of external media. */
export const SETUP_TOKEN = randomBytes(32).toString('hex');
export const SIGNING_SECRET = randomBytes(32).toString('hex');
export const RELYING_PARTY = 'localhost';
export const PASSKEY_ORIGIN = 'http://localhost:3000';

/** Settings for a service whose responses are timed. Limits that do not depend on which accounts exist are off. */
export const ENVIRONMENT = {
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOGIN_ALLOWANCES: 'on',
  ABUSE_BANS: 'off',
  MAX_LOOP_DELAY_MS: '0',
  LOG_LEVEL: 'warn',
  MAIL_TRANSPORT: 'inbox',
  TRUSTED_PROXIES: '127.0.0.1',
  GATEHOUSE_SETUP_TOKEN: SETUP_TOKEN,
  MEDIA_SIGNING_SECRETS: SIGNING_SECRET,
  WEBAUTHN_RP_ID: RELYING_PARTY,
  WEBAUTHN_ORIGINS: PASSKEY_ORIGIN,
  SSO_ALLOW_PRIVATE_ADDRESSES: 'true',
  ARGON2_MEMORY_KIB: '64',
  ARGON2_PASSES: '1',
};

/** The number of requests per IP address, and per email address. Both are lower than every limit. */
const PER_ADDRESS = 4;
export const PER_EMAIL = 5;
const AT_ONCE = 8;

export const basic = (id, secret) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
export const freshEmail = () => `${randomBytes(10).toString('hex')}@example.com`;
export const freshPassword = () => randomBytes(12).toString('hex');

/** Sends the requests before the timed ones. Uses the database of the service for data that no operation creates. */
export class Stage {
  #asked = 0;
  #people = [];
  #administrator;

  /**
   * @param url the URL of the service
   * @param rounds number of requests of each class of a pair, including those that only warm up
   * @param sql sends a statement to the database of the service and returns rows
   */
  constructor(url, rounds, sql) {
    Object.assign(this, { url, rounds, sql });
  }

  /** A request in the form that `fetch` expects. Its IP address has not used up any limit. */
  framed({ method = 'GET', path, body, form, authorization, headers = {} }) {
    const block = Math.floor(this.#asked++ / PER_ADDRESS);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    return {
      method,
      path,
      headers: {
        'x-forwarded-for': `10.${(block >> 16) & 255}.${(block >> 8) & 255}.${block & 255}`,
        ...(form || body !== undefined ? { 'content-type': type } : {}),
        ...(authorization ? { authorization } : {}),
        ...headers,
      },
      text: form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body),
    };
  }

  async send(asked) {
    const { method, path, headers, text } = this.framed(asked);
    const response = await fetch(this.url + path, { method, headers, body: text });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
  }

  /** Returns the body of a successful response. Throws on any other response. */
  async ask(asked) {
    const { status, body } = await this.send(asked);
    if (status >= 300)
      throw new Error(`${asked.method ?? 'GET'} ${asked.path} answered ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async register() {
    const [email, password] = [freshEmail(), freshPassword()];
    const body = await this.ask({ method: 'POST', path: '/v1/auth/register', body: { email, password } });
    return { id: body.user_id, email, password, authorization: body.token };
  }

  /** Returns accounts. No account is returned twice. */
  async people(count) {
    while (this.#people.length < count) {
      const missing = Math.min(AT_ONCE, count - this.#people.length);
      this.#people.push(...(await Promise.all(Array.from({ length: missing }, () => this.register()))));
    }
    return this.#people.splice(0, count);
  }

  /**
   * Accounts, with a function that picks each of them only as often as its limit allows, and the same number of unknown
   * email addresses.
   */
  async addresses() {
    const people = await this.people(Math.ceil(this.rounds / PER_EMAIL));
    const unknown = people.map(freshEmail);
    return {
      people,
      pick: (isFirst, round) => (isFirst ? people[round % people.length].email : unknown[round % unknown.length]),
    };
  }

  /** An account with a credential of every kind. */
  enrol() {
    return enrol(this.url, this.framed({}).headers);
  }

  /** An administrator with all rights, and an Admin API key of this account. */
  async adminKey() {
    const owner = await this.register();
    await this.sql(`UPDATE account SET acls = '{*}' WHERE id = $1`, [owner.id]);
    const { authorization } = owner;
    const body = { name: 'key', acls: ['*'] };
    return { owner, ...(await this.ask({ method: 'POST', path: '/v1/admin/api-keys', authorization, body })) };
  }

  /** Changes the configuration of the instance. */
  async configure(body) {
    this.#administrator ??= await this.adminKey();
    const authorization = `Admin ${this.#administrator.key}`;
    await this.ask({ method: 'PATCH', path: '/v1/admin/instance/config', authorization, body });
  }

  /**
   * Creates a valid secret of an account for a purpose. `stored` is the input of its digest, if that is not the secret.
   */
  async secret(purpose, accountId, { payload = {}, secret = letters(64), stored = secret } = {}) {
    const key = createHash('sha256').update(`${purpose}\0${stored}`).digest();
    await this.sql(
      `INSERT INTO one_time_secret (digest, purpose, subject, payload, expires_at, account_id, epoch, address_epoch)
       SELECT $1, $2, $3::text, $4::jsonb, now() + interval '1 hour', id, epoch, address_epoch FROM account WHERE id = $3::bigint`,
      [key, purpose, accountId, JSON.stringify(payload)],
    );
    return secret;
  }
}
