/**
 * `npm run bench -- growth`: measures what operations cost at `GROWTH_SIZES` (1000,100000,1000000) accounts, with five
 * times as many sessions, one-time secrets and audit entries. Compares them with the same operations of a second
 * service whose database stays at the smallest size. The two take turns for `BENCH_ROUNDS` (7) rounds, so that other
 * load on the machine affects both equally. If an operation costs more than `BOUND` times as much, the report shows its
 * statements and their plans. `DATABASE_URL` names a server, on which it creates two databases and drops them. It needs
 * 6 GB, and takes five minutes on a quiet machine and most of an hour on a busy one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Algorithm, hash } from '@node-rs/argon2';
import pg from 'pg';
import { Pool } from 'undici';
import { build } from '../scripts/build.mjs';
import { enrol } from './enrol.mjs';
import {
  ask,
  markdown,
  median,
  ownDatabase,
  preciseCpuSeconds,
  quantile,
  rssMib,
  startWatched,
  stop,
  table,
  writeResult,
} from './lib.mjs';

const { DATABASE_URL, GROWTH_SIZES = '1000,100000,1000000', BENCH_ROUNDS = '7', HTTP_PLATFORM } = process.env;
const SIZES = GROWTH_SIZES.split(',').map(Number);
const CONTROL = Number(process.env.GROWTH_CONTROL ?? 1000);
const ROUNDS = Number(BENCH_ROUNDS);
const CONNECTIONS = 4;
/** Number of signed-in accounts, evenly spread over all accounts. */
const SAMPLE = 100;
const ERASED_AT_ONCE = 4;
const RECORDED = 8;
const ATTEMPTS = 20;
/** Above this ratio, an operation counts as growing. The smallest size compared with itself stays below it. */
const BOUND = 1.25;
/** By how many ms a statement must be slower to be reported. */
const NOTICEABLE_MS = 0.1;
const PASSWORD = 'four words of a person';

if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');
await build();
const { growTables } = await import('../dist/test/support/many-accounts.js');
const { digest, mintSessionToken, mintToken } = await import('../dist/src/core/secrets.js');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-growth-'));

/** A database of some size, and the service that uses it. */
class Subject {
  size = 0;
  repeated = 0;

  static async of(purpose) {
    const subject = new Subject();
    subject.purpose = purpose;
    subject.database = await ownDatabase(DATABASE_URL, purpose);
    // Creates only the schema.
    await subject.begin();
    await subject.end();
    return subject;
  }

  async begin() {
    this.server = await startWatched({
      NODE_ENV: 'test',
      RATE_LIMITS: 'off',
      LOGIN_ALLOWANCES: 'off',
      REGISTRATION_ALLOWANCES: 'off',
      MAIL_TRANSPORT: 'none',
      LOG_LEVEL: 'warn',
      // Turns load shedding off, because other load on the machine could trigger it.
      MAX_LOOP_DELAY_MS: '0',
      // Makes password hashing cheap, because high fixed costs would hide growth.
      ARGON2_MEMORY_KIB: '8',
      ARGON2_PASSES: '1',
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: this.database.url,
      DATA_DIR: join(directory, this.purpose),
    });
    this.pool = new Pool(this.server.url, { connections: CONNECTIONS });
    this.client = new pg.Client({ connectionString: this.database.url });
    await this.client.connect();
  }

  async end() {
    await this.client.end();
    await this.pool.destroy();
    await stop(this.server);
  }

  async growTo(size) {
    if (size > this.size) await growTables(this.database.url, this.size, size);
    this.size = Math.max(size, this.size);
  }

  /** Signs in the accounts of the sample, and creates an administrator with all rights. */
  async enter() {
    const step = Math.floor(this.size / SAMPLE);
    const ids = Array.from({ length: SAMPLE }, (_, n) => 1 + n * step);
    const cheap = { algorithm: Algorithm.Argon2id, memoryCost: 8, timeCost: 1, parallelism: 1 };
    this.people = ids.map((id) => ({
      id,
      email: `user${id}@crowd.example`,
      session: mintSessionToken(),
      refresh: mintToken(),
    }));
    const { session, applicationId, clientSecret } = await enrol(this.server.url);
    this.admin = session;
    this.basic = `Basic ${Buffer.from(`${applicationId}:${clientSecret}`).toString('base64')}`;
    const run = (text, values) => this.client.query(text, values);
    await run("UPDATE account SET acls = '{*}' WHERE id = (SELECT account_id FROM session WHERE digest = $1)", [
      digest(session),
    ]);
    await run('UPDATE account SET password_hash = $2, email_verified = true WHERE id = ANY($1)', [
      ids,
      await hash(PASSWORD, cheap),
    ]);
    await run(
      "INSERT INTO authorized_ip (account_id, ip_key) SELECT unnest($1::bigint[]), '127.0.0.1' ON CONFLICT DO NOTHING",
      [ids],
    );
    for (const { id, session: token, refresh } of this.people) {
      await run(
        `UPDATE session SET digest = $2 WHERE id =
           (SELECT min(id) FROM session WHERE account_id = $1 AND revoked_at IS NULL)`,
        [id, digest(token)],
      );
      await run(
        `UPDATE oauth_token SET digest = $2, application_id = $3
         WHERE family_id = $1 AND kind = 'refresh' AND consumed_at IS NULL`,
        [id, digest(refresh), applicationId],
      );
      await run('UPDATE oauth_family SET application_id = $2 WHERE id = $1', [id, applicationId]);
    }
    const { rows } = await run(
      `SELECT id FROM account WHERE id <= $1 AND (id - 1) % $2 <> 0 AND deleted_at IS NULL ORDER BY random() LIMIT $3`,
      [this.size, step, (ROUNDS + 2) * ERASED_AT_ONCE],
    );
    this.doomed = rows.map(({ id }) => id);
    this.turn = 0;
  }

  /** The next account of the sample. */
  next() {
    return this.people[this.turn++ % SAMPLE];
  }

  async send(method, path, options = {}, attempt = 1) {
    const { authorization, body, form } = options;
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
    // The machine is overloaded. This affects all operations equally, so retry.
    if (statusCode === 503 && attempt < ATTEMPTS) {
      this.repeated++;
      await delay(100 * attempt);
      return this.send(method, path, options, attempt + 1);
    }
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode} ${text}`);
    return JSON.parse(text);
  }

  /** CPU seconds of the service and of the backends of its connections. */
  async used() {
    const { rows } = await this.client.query(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return {
      service: preciseCpuSeconds(this.server.child.pid),
      backends: new Map(rows.map(({ pid }) => [pid, preciseCpuSeconds(pid)])),
    };
  }
}

const asAdmin = (path) => (subject) => subject.send('GET', path(subject), { authorization: subject.admin });
const bySession = (path) => (subject) => subject.send('GET', path, { authorization: subject.next().session });

/** An operation without database queries. */
const FREE = 'no credential, no statement';

/** How often an operation runs in a round, and its function. */
const OPERATIONS = {
  [FREE]: [200, (subject) => subject.send('GET', '/.well-known/service')],
  'P1: own account by session': [200, bySession('/v1/users/@me')],
  'sign-in by password': [
    60,
    (subject) => subject.send('POST', '/v1/auth/login', { body: { email: subject.next().email, password: PASSWORD } }),
  ],
  refresh: [
    60,
    async (subject) => {
      const person = subject.next();
      const form = { grant_type: 'refresh_token', refresh_token: person.refresh };
      const answer = await subject.send('POST', '/v1/oauth2/token', { authorization: subject.basic, form });
      person.refresh = answer.refresh_token;
    },
  ],
  'list of own sessions': [100, bySession('/v1/auth/sessions')],
  'admin: account by address': [60, asAdmin((subject) => `/v1/admin/users?email=${subject.next().email}`)],
  'admin: account by name and number': [
    60,
    asAdmin((subject) => {
      const { id } = subject.next();
      const tag = `user${Math.floor(id / 9000)}#${String(1 + (id % 9000)).padStart(4, '0')}`;
      return `/v1/admin/users?resolve=${encodeURIComponent(tag)}`;
    }),
  ],
  'admin: accounts by last address': [40, asAdmin(() => '/v1/admin/users?last_active_ip=10.7.0.7')],
  'admin: accounts of a name, first page': [20, asAdmin(() => '/v1/admin/users?username=user0')],
  'admin: all accounts, first page': [10, asAdmin(() => '/v1/admin/users')],
  'admin: sessions of an account': [60, asAdmin((subject) => `/v1/admin/users/${subject.next().id}/sessions`)],
  'admin: audit entries of a target': [60, asAdmin((subject) => `/v1/admin/audit-logs?target_id=${subject.next().id}`)],
  'admin: audit entries of an action': [10, asAdmin(() => '/v1/admin/audit-logs?action=temp_ban')],
};

/** Runs an operation as often as a round requires. Returns the duration of each call, and the costs. */
async function turn(subject, [count, operation]) {
  const times = [];
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const begun = performance.now();
      await operation(subject);
      times.push(performance.now() - begun);
    }
  };
  const before = await subject.used();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const after = await subject.used();
  return { times, ...costs(before, after, count) };
}

function costs(before, after, count) {
  const ofBackends = [...after.backends].map(([pid, seconds]) => seconds - (before.backends.get(pid) ?? 0));
  const database = ofBackends.reduce((sum, seconds) => sum + seconds, 0);
  return { service: ((after.service - before.service) * 1e6) / count, database: (database * 1e6) / count };
}

/** Erases some accounts, as after their deletion deadline. The time is per account. */
async function erasure(subject) {
  const ids = subject.doomed.splice(0, ERASED_AT_ONCE);
  await subject.client.query("UPDATE account SET deletion_at = now() - interval '1 minute' WHERE id = ANY($1)", [ids]);
  const before = await subject.used();
  const begun = performance.now();
  const erased = await ask(subject.server, 'erase');
  const time = (performance.now() - begun) / ids.length;
  if (erased !== ids.length) throw new Error(`${erased} of ${ids.length} accounts were erased`);
  return { times: [time], ...costs(before, await subject.used(), ids.length) };
}

const ERASURE = 'erasure of an account';
const NAMES = [...Object.keys(OPERATIONS), ERASURE];
const once = (subject, name) => (name === ERASURE ? erasure(subject) : turn(subject, OPERATIONS[name]));

/** Measures the durations and costs of every operation, with the subjects in turns. */
async function measure(subjects) {
  const samples = new Map(subjects.map((subject) => [subject, new Map(NAMES.map((name) => [name, []]))]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of NAMES) {
      for (const subject of round % 2 ? subjects : subjects.toReversed()) {
        const taken = await once(subject, name);
        // The first round only warms everything up.
        if (round > 0) samples.get(subject).get(name).push(taken);
      }
    }
  }
  const summary = (taken) => ({
    p50: median(taken.flatMap(({ times }) => times)),
    p99: quantile(
      taken.flatMap(({ times }) => times),
      0.99,
    ),
    service: quantile(
      taken.map(({ service }) => service),
      0.25,
    ),
    database: quantile(
      taken.map(({ database }) => database),
      0.25,
    ),
  });
  return subjects.map((subject) =>
    Object.fromEntries([...samples.get(subject)].map(([name, taken]) => [name, summary(taken)])),
  );
}

/** The statements of each operation: how many, how long they take, and the values of the last one. */
async function statementsOf(subject) {
  await ask(subject.server, 'record');
  const found = {};
  for (const name of NAMES) {
    await ask(subject.server, 'recorded');
    if (name === ERASURE) await erasure(subject);
    else for (let n = 0; n < RECORDED; n++) await OPERATIONS[name][1](subject);
    const times = name === ERASURE ? ERASED_AT_ONCE : RECORDED;
    const statements = await ask(subject.server, 'recorded');
    if (statements.length === 0 && name !== FREE) throw new Error(`No statement of "${name}" was seen`);
    found[name] = statements.map(({ ms, ...statement }) => ({
      ...statement,
      count: ms.length / times,
      ms: median(ms),
    }));
  }
  await ask(subject.server, 'pause');
  return found;
}

/** Runs a statement with EXPLAIN and rolls it back. */
async function explained(subject, { text, values }, options) {
  await subject.client.query('BEGIN');
  try {
    const { rows } = await subject.client.query(`EXPLAIN (ANALYZE, BUFFERS, ${options}) ${text}`, values);
    return rows.map((row) => row['QUERY PLAN']);
  } finally {
    await subject.client.query('ROLLBACK');
  }
}

/** The plan, or the error message if the statement cannot run again, such as an INSERT with a fixed ID. */
const planOf = (subject, statement) =>
  explained(subject, statement, 'FORMAT TEXT').then(
    (lines) => lines.join('\n'),
    ({ message }) => message,
  );

/**
 * How many blocks of tables and indexes the statements of an operation read. Other load on the machine does not change
 * this.
 */
async function blocksOf(subject, statements) {
  let blocks = 0;
  for (const statement of statements) {
    if (!PLANNED.test(statement.text)) continue;
    const [[{ Plan: plan }]] = await explained(subject, statement, 'FORMAT JSON').catch(() => [[{ Plan: undefined }]]);
    if (plan) blocks += statement.count * (plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  }
  return blocks;
}

const PLANNED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

/** Statements of an operation that take longer in the large database, with their plans in both databases. */
async function slower(name, [large, small], [ofLarge, ofSmall]) {
  const found = [];
  for (const statement of ofLarge[name]) {
    const same = ofSmall[name].find(({ text }) => text === statement.text);
    const grown = same && statement.ms > same.ms * BOUND && statement.ms - same.ms > NOTICEABLE_MS;
    if (!grown || !PLANNED.test(statement.text)) continue;
    const plans = { large: await planOf(large, statement), small: await planOf(small, same) };
    found.push({ text: statement.text.replace(/\s+/g, ' ').trim(), ms: statement.ms, smallMs: same.ms, ...plans });
  }
  return found;
}

const small = await Subject.of('growth_control');
const large = await Subject.of('growth');
const results = [];
const processor = cpus()[0]?.model;
const conditions = { node: process.version, processor, cores: cpus().length, platform: HTTP_PLATFORM ?? 'express' };
const data = { ...conditions, rounds: ROUNDS, connections: CONNECTIONS, bound: BOUND, sizes: results };
try {
  await small.growTo(CONTROL);
  for (const size of SIZES) {
    const begun = performance.now();
    await large.growTo(size);
    console.log(`${size} accounts after ${Math.round((performance.now() - begun) / 1000)} s`);
    for (const subject of [small, large]) await subject.begin();
    const boot = { milliseconds: large.server.bootMs, controlMilliseconds: small.server.bootMs };
    const idle = rssMib(large.server);
    for (const subject of [small, large]) await subject.enter();
    const [ofLarge, ofSmall] = await measure([large, small]);
    const statements = [await statementsOf(large), await statementsOf(small)];
    const operations = {};
    for (const name of NAMES) {
      const [now, then] = [ofLarge[name], ofSmall[name]];
      const ratio = (key) => now[key] / then[key];
      const ratios = { p50: ratio('p50'), service: ratio('service'), database: ratio('database') };
      const count = statements[0][name].reduce((sum, one) => sum + (PLANNED.test(one.text) ? one.count : 0), 0);
      const grows = name !== FREE && Math.max(ratios.p50, ratios.service, ratios.database) > BOUND;
      const blocks = {
        now: await blocksOf(large, statements[0][name]),
        control: await blocksOf(small, statements[1][name]),
      };
      const causes = grows ? await slower(name, [large, small], statements) : [];
      operations[name] = { now, control: then, ratios, statements: count, blocks, grows, causes };
    }
    const { rows } = await large.client.query('SELECT pg_database_size(current_database())::float8 AS size');
    const memory = { idle, loaded: rssMib(large.server) };
    results.push({
      size,
      load: loadavg()[0],
      repeated: large.repeated,
      gigabytes: rows[0].size / 2 ** 30,
      boot,
      rssMib: memory,
      operations,
    });
    for (const subject of [small, large]) await subject.end();
    console.log(`${table([heading(), ...rowsOf(results.at(-1))])}\n`);
    // Saves the results so far, in case a later size fails.
    console.log(`written to ${writeResult('growth', data, written())}`);
  }
} finally {
  for (const subject of [small, large]) {
    await subject.end();
    await subject.database.drop();
  }
  rmSync(directory, { recursive: true, force: true });
}

function rowsOf({ size, operations }) {
  return Object.entries(operations).map(([name, { now, ratios, statements, blocks, grows, causes }]) => [
    name,
    size,
    now.p50.toFixed(2),
    now.p99.toFixed(2),
    now.service.toFixed(0),
    now.database.toFixed(0),
    statements.toFixed(1),
    `${blocks.now.toFixed(0)} (${blocks.control.toFixed(0)})`,
    ...Object.values(ratios).map((value) => (Number.isFinite(value) ? value.toFixed(2) : '')),
    grows ? `grows: ${causes.length} statements` : 'flat',
  ]);
}

function heading() {
  const ratios = ['x p50', 'x service', 'x database'];
  return [
    'operation',
    'accounts',
    'p50 ms',
    'p99 ms',
    'service CPU us',
    'database CPU us',
    'statements',
    'blocks (small)',
    ...ratios,
    '',
  ];
}

/** The report: a table by operation, then the operations that grew and their statements. */
function written() {
  const rows = results.map(rowsOf);
  const byOperation = NAMES.flatMap((_, index) => rows.map((ofSize) => ofSize[index]));
  const facts = results.map(({ size, gigabytes, boot, rssMib: memory, load }) => [
    size,
    gigabytes.toFixed(2),
    `${boot.milliseconds} (${boot.controlMilliseconds})`,
    memory.idle,
    memory.loaded,
    load.toFixed(1),
  ]);
  const causes = results.flatMap(({ size, operations }) =>
    Object.entries(operations).flatMap(([name, { causes }]) =>
      causes.map(
        ({ text, ms, smallMs, large: plan, small: control }) =>
          `### ${name}, ${size} accounts: ${smallMs.toFixed(2)} ms, then ${ms.toFixed(2)} ms\n\n` +
          `\`\`\`sql\n${text}\n\`\`\`\n\n\`\`\`text\n${plan}\n\`\`\`\n\nAt ${CONTROL} accounts:\n\n\`\`\`text\n${control}\n\`\`\`\n`,
      ),
    ),
  );
  return `# Growth

Operations beside the same of a service whose database stays at ${CONTROL} accounts, in turns, ${ROUNDS} rounds at ${CONNECTIONS} connections;
processor time of service and database per operation, lower quartile of the rounds. The ratios are to the small database of the
same minute: that of the smallest size shows the noise, beyond ${BOUND} an operation grows. Blocks are those of tables and indexes
that the statements look at, here and in the small database. Passwords are hashed cheaply.

${markdown([heading(), ...byOperation])}

${markdown([['accounts', 'GiB', 'start to ready, ms (small)', 'RSS idle, MiB', 'RSS after load', 'load average'], ...facts])}

${causes.length > 0 ? `## Statements that take longer\n\n${causes.join('\n')}` : ''}`;
}
