/**
 * `npm run bench -- peers`: compares the service with alternatives on one PostgreSQL, interleaved in one run. Results
 * are medians of `BENCH_ROUNDS` (5) rounds of `BENCH_SECONDS` (2). `DATABASE_URL` names a server on which it may create
 * databases. Writes `results/<date>.json`, the table, the charts and the part of docs/performance.md.
 * `BENCH_ONLY=caller` (or `signIn`, `oauth`, `gateway`, `start`) measures one part. The other parts stay as measured
 * that day from the same sources.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { build } from '../scripts/build.mjs';
import { measure as measureIdentify } from './identify.mjs';
import { median, rssMib, start, stop, table } from './lib.mjs';
import { bench, install, versions } from './peers/install.mjs';
import { Backends, closedLoop, gets, openLoop, percentile, processorSeconds } from './peers/load.mjs';
import { report, summary, written } from './peers/report.mjs';
import { requests, SUBJECTS } from './peers/subjects.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;
const SIGN_INS_AT_ONCE = 8;
const POOL_SIZE = 5;
const PEOPLE = 32;
const CODES = 128;
const FIRST_SECONDS = 3;
const WARM_UP_SECONDS = 0.3;
/** Duration of a latency round. The latencies of all rounds are evaluated together. */
const LATENCY_SECONDS = SECONDS / 2;
const STARTS = Math.min(ROUNDS, 3);
/** Share of the slowest rate, which all subjects can sustain. */
const BEARABLE = 0.5;
/** Rate of GET requests during sign-ins, if the `caller` part was not measured before. */
const GETS_PER_SECOND = 50;
const OPERATIONS = ['code exchange', 'refresh', 'introspection'];
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

if (!process.env.DATABASE_URL)
  throw new Error('name a PostgreSQL server in DATABASE_URL, on which databases may be made');
install();
await build();

// The servers use the first core, the load and the database the others.
const others = cpus().length > 1 ? `1-${cpus().length - 1}` : undefined;
const canPin = others !== undefined && spawnSync('taskset', ['-acp', others, String(process.pid)]).status === 0;
process.setMaxListeners(0);
const admin = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
const backends = new Backends(admin, canPin ? others : undefined);
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
const load = () => loadavg().map((one) => Number(one.toFixed(2)));

/** A server, with the database, the state and the connections for its measurements. */
class Subject {
  constructor(name, spec, index) {
    this.name = name;
    this.spec = spec;
    this.database = spec.database ? `gatehouse_peers_${process.pid}_${index}` : undefined;
    this.environment = {
      NODE_ENV: 'production',
      POOL_SIZE: String(POOL_SIZE),
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      DATA_DIR: join(directory, String(index)),
      ...spec.environment,
      ...(this.database ? { DATABASE_URL: databaseUrl(this.database) } : {}),
    };
  }

  async launch() {
    if (this.database) await admin.query(`CREATE DATABASE ${this.database}`);
    this.server = await start(this.spec.script, this.environment);
    this.pool = new Pool(this.server.url, {
      connections: CONNECTIONS,
      headersTimeout: 60_000,
      connect: { timeout: 60_000 },
    });
    this.state = this.spec.prepare ? await this.prepare({ people: PEOPLE }) : { callers: [{}] };
    await this.prove();
  }

  prepare(asked) {
    const call = (method, path, { headers, body } = {}) =>
      this.call({
        method,
        path,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
      });
    return this.spec.prepare(call, asked.codes ? { ...asked, challenge } : asked, this.state);
  }

  async call({ method, path, headers, body }) {
    const { statusCode, body: answer } = await this.pool.request({ method, path, headers, body });
    const text = await answer.text();
    if (statusCode !== 200 && statusCode !== 201) {
      throw new Error(`${this.name}: ${method} ${path} answered ${statusCode} ${text}`);
    }
    return text ? JSON.parse(text) : undefined;
  }

  /** Checks that each credential returns its own user, and that a request without a credential returns none. */
  async prove() {
    const { caller, floor, database } = this.spec;
    if (!caller || !database) return;
    const [one, other] = await Promise.all(
      this.state.callers.slice(0, 2).map((headers) => this.call({ method: 'GET', path: caller, headers })),
    );
    if (JSON.stringify(one) === JSON.stringify(other)) throw new Error(`${this.name} tells two people the same`);
    if (floor) return;
    const { statusCode, body } = await this.pool.request({ method: 'GET', path: caller });
    const text = await body.text();
    if (statusCode === 200 && text !== 'null') throw new Error(`${this.name} tells nobody ${text}`);
  }

  request(kind, ...values) {
    return this.call(requests[kind](this.spec, this.state, ...values));
  }

  async close() {
    await this.pool?.close();
    if (this.server) await stop(this.server);
    if (this.database) await admin.query(`DROP DATABASE IF EXISTS ${this.database} WITH (FORCE)`);
  }
}

function databaseUrl(name) {
  const url = new URL(process.env.DATABASE_URL);
  url.pathname = `/${name}`;
  return url.toString();
}

/** Measures a rate, with the CPU time of the server and of its database per request. */
async function sample(subject, work) {
  await backends.pin(subject.database);
  const before = await backends.seconds(subject.database);
  const used = processorSeconds(subject.server);
  const { count, seconds } = await work();
  const cpu = processorSeconds(subject.server) - used;
  const after = await backends.seconds(subject.database);
  let database = 0;
  for (const [pid, total] of after) database += total - (before.get(pid) ?? 0);
  return { rate: count / seconds, cpu: (cpu * 1e6) / count, database: (database * 1e6) / count };
}

const medianOf = (samples, key) => median(samples.map((one) => one[key]));
const figures = (samples) => ({
  requestsPerSecond: medianOf(samples, 'rate'),
  cpuMicroseconds: medianOf(samples, 'cpu'),
  databaseMicroseconds: medianOf(samples, 'database'),
});
function latencies(rounds) {
  const all = rounds.flat();
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99), requests: all.length };
}

/** Runs `measure(subject)` for all subjects in turns. Returns the results of the rounds by name. */
async function interleaved(what, subjects, measure, rounds = ROUNDS) {
  const taken = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) taken.get(subject.name).push(await measure(subject));
    console.log(`${what}: round ${round} of ${rounds}`);
  }
  return taken;
}

const bearable = (measured) => Math.max(1, Math.floor(Math.min(...measured) * BEARABLE));

async function callerJob(taking) {
  const all = ({ server, spec, state }, seconds) => gets(server.url + spec.caller, state.callers, CONNECTIONS, seconds);
  for (const subject of taking) await all(subject, FIRST_SECONDS);
  const taken = await interleaved('who is the caller', taking, async (subject) => {
    await all(subject, WARM_UP_SECONDS);
    return sample(subject, () => all(subject, SECONDS));
  });
  const rows = new Map([...taken].map(([name, samples]) => [name, figures(samples)]));
  const fixedRate = bearable([...rows.values()].map(({ requestsPerSecond }) => requestsPerSecond));
  const waited = await interleaved(`who is the caller at ${fixedRate}/s`, taking, (subject) =>
    atRate(subject, fixedRate),
  );
  return { fixedRate, connections: CONNECTIONS, rows: withLatencies(rows, waited) };
}

async function atRate(subject, rate) {
  const { callers } = subject.state;
  let next = 0;
  const send = () =>
    subject.call({ method: 'GET', path: subject.spec.caller, headers: callers[next++ % callers.length] });
  await openLoop(rate, WARM_UP_SECONDS, send);
  await backends.pin(subject.database);
  return openLoop(rate, LATENCY_SECONDS, send);
}

const withLatencies = (rows, waited) =>
  Object.fromEntries([...rows].map(([name, row]) => [name, { ...row, ...latencies(waited.get(name)) }]));

async function signInJob(taking, getRate) {
  const turns = new Map(taking.map(({ name }) => [name, 0]));
  const signIn = (subject) => {
    const turn = turns.get(subject.name);
    turns.set(subject.name, turn + 1);
    return subject.request('login', subject.state.logins[turn % subject.state.logins.length], subject.server.url);
  };
  const all = (subject, seconds) =>
    closedLoop(Array(SIGN_INS_AT_ONCE).fill(subject), seconds, async (same) => {
      await signIn(same);
      return same;
    });
  for (const subject of taking) await all(subject, FIRST_SECONDS);
  const taken = await interleaved('sign-in', taking, (subject) => sample(subject, () => all(subject, SECONDS)));
  const rows = new Map([...taken].map(([name, samples]) => [name, figures(samples)]));
  const fixedRate = bearable([...rows.values()].map(({ requestsPerSecond }) => requestsPerSecond));
  const waited = await interleaved(`sign-in at ${fixedRate}/s`, taking, (subject) =>
    openLoop(fixedRate, LATENCY_SECONDS, () => signIn(subject)),
  );
  const meanwhile = await interleaved(
    `GETs at ${getRate}/s, idle and while others sign in`,
    taking.filter(({ spec }) => spec.caller),
    async (subject) => {
      const idle = await atRate(subject, getRate);
      const [busy] = await Promise.all([atRate(subject, getRate), all(subject, LATENCY_SECONDS + WARM_UP_SECONDS)]);
      return { idle, busy };
    },
  );
  const gets = [...meanwhile].map(([name, rounds]) => [
    name,
    { idle: latencies(rounds.map(({ idle }) => idle)), busy: latencies(rounds.map(({ busy }) => busy)) },
  ]);
  return {
    fixedRate,
    connections: SIGN_INS_AT_ONCE,
    rows: withLatencies(rows, waited),
    meanwhile: { rate: getRate, rows: Object.fromEntries(gets) },
  };
}

/**
 * A round of the operations of a subject. Without `rates`, it measures the rates with many connections. Otherwise it
 * measures the latencies at these rates.
 */
async function oauthRound(subject, rates) {
  const spare = 2 * CONNECTIONS;
  const fresh = await subject.prepare({ codes: rates ? Math.ceil(rates[0] * LATENCY_SECONDS) + spare : CODES });
  const pairs = [];
  const exchange = async () => {
    const code = fresh.codes.pop();
    if (code === undefined) return undefined;
    const pair = await subject.request('exchange', code, verifier);
    pairs.push(pair);
    return pair;
  };
  const refresh = async (token) => (await subject.request('refresh', token)).refresh_token;
  const introspect = async (token) => {
    if (!(await subject.request('introspect', token)).active)
      throw new Error(`${subject.name}: a live token is not active`);
    return token;
  };
  const workers = Array(CONNECTIONS).fill(true);
  const closed = (states, step) => sample(subject, () => closedLoop(states, SECONDS, step));
  if (rates) return latenciesOfOperations(subject, rates, { exchange, refresh, introspect, pairs });
  // The workers stop when no codes are left.
  const results = [await sample(subject, () => countExchanges(workers, exchange))];
  const some = pairs.slice(0, CONNECTIONS);
  results.push(
    await closed(
      some.map((pair) => pair.refresh_token),
      refresh,
    ),
  );
  // The access tokens of the first pairs were revoked with their refresh tokens.
  const live = pairs.slice(-CONNECTIONS).map((pair) => pair.access_token);
  results.push(subject.spec.introspection ? await closed(live, introspect) : undefined);
  return results;
}

async function countExchanges(workers, exchange) {
  let count = 0;
  const { seconds } = await closedLoop(workers, 60, async () => {
    const pair = await exchange();
    if (pair) count++;
    return pair;
  });
  return { count, seconds };
}

async function latenciesOfOperations(subject, rates, { exchange, refresh, introspect, pairs }) {
  for (let n = 0; n < CONNECTIONS; n++) await exchange();
  const exchanged = await openLoop(rates[0], LATENCY_SECONDS, exchange);
  // Each refresh uses the token that was used the longest time ago.
  const tokens = pairs.map((pair) => pair.refresh_token);
  const refreshed = await openLoop(rates[1], LATENCY_SECONDS, async () => {
    const token = tokens.shift();
    if (token === undefined) throw new Error(`${subject.name}: no refresh token is left at ${rates[1]}/s`);
    tokens.push(await refresh(token));
  });
  if (!subject.spec.introspection) return [exchanged, refreshed, undefined];
  const { access_token: live } = await subject.request('refresh', tokens.shift());
  return [exchanged, refreshed, await openLoop(rates[2], LATENCY_SECONDS, () => introspect(live))];
}

async function oauthJob(taking) {
  for (const subject of taking) await oauthRound(subject);
  const taken = await interleaved('OAuth2', taking, (subject) => oauthRound(subject));
  const measured = OPERATIONS.map((_, index) =>
    [...taken]
      .filter(([, rounds]) => rounds[0][index])
      .map(([name, rounds]) => [name, figures(rounds.map((one) => one[index]))]),
  );
  const rates = measured.map((rows) => bearable(rows.map(([, { requestsPerSecond }]) => requestsPerSecond)));
  const waited = await interleaved(`OAuth2 at ${rates.join(', ')}/s`, taking, (subject) => oauthRound(subject, rates));
  return OPERATIONS.map((name, index) => ({
    name,
    fixedRate: rates[index],
    connections: CONNECTIONS,
    rows: withLatencies(
      new Map(measured[index]),
      new Map([...waited].map(([who, rounds]) => [who, rounds.map((one) => one[index])])),
    ),
  }));
}

/** Measures Identify, next to plain `ws` that looks up the same row of the same database. */
async function gatewayJob(ours) {
  const tokens = (subject) => subject.state.callers.map(({ authorization }) => authorization);
  const [first] = ours;
  const raw = { name: 'plain ws and a statement', database: first.database };
  raw.server = await start(join(bench, 'servers/sockets.mjs'), first.environment);
  const taking = [
    { ...raw, path: '/', tokens: tokens(first) },
    ...ours.map(({ name, server, ...subject }) => ({ name, server, path: '/gateway', tokens: tokens(subject) })),
  ];
  for (const { server, path, tokens } of taking) await measureIdentify(server, path, tokens);
  const taken = await interleaved('Identify', taking, ({ server, path, tokens }) =>
    measureIdentify(server, path, tokens),
  );
  await stop(raw.server);
  const rows = [...taken].map(([name, samples]) => [
    name,
    { requestsPerSecond: medianOf(samples, 'rate'), cpuMicroseconds: medianOf(samples, 'cpu') },
  ]);
  return { rows: Object.fromEntries(rows) };
}

/** Measures the time from process start to listening, on an existing database, and the memory in use at that time. */
async function startJob(taking) {
  const loaded = Object.fromEntries(taking.map(({ name, server }) => [name, rssMib(server)]));
  const taken = await interleaved(
    'start',
    taking,
    async (subject) => {
      const server = await start(subject.spec.script, subject.environment);
      const idle = rssMib(server);
      await stop(server);
      return { ms: server.bootMs, idle };
    },
    STARTS,
  );
  const rows = [...taken].map(([name, samples]) => [
    name,
    { milliseconds: medianOf(samples, 'ms'), idleMib: medianOf(samples, 'idle'), loadedMib: loaded[name] },
  ]);
  return { rows: Object.fromEntries(rows) };
}

/** The jobs in their order, with the condition for subjects to take part and the function that measures them. */
const JOBS = {
  caller: { takes: ({ caller }) => caller, measure: callerJob },
  oauth: { takes: ({ token }) => token, measure: oauthJob },
  signIn: {
    takes: ({ login }) => login,
    measure: (subjects, { caller }) => signInJob(subjects, caller?.fixedRate ?? GETS_PER_SECOND),
  },
  gateway: { takes: ({ ours }) => ours, measure: gatewayJob },
  start: { takes: ({ variant }) => !variant, measure: startJob },
};

const git = (...args) => spawnSync('git', args, { cwd: bench, encoding: 'utf8' }).stdout.trim();
const { rows: server } = await admin.query('SHOW server_version');
const now = {
  date: new Date().toISOString().slice(0, 10),
  machine: {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
  },
  versions: { node: process.version.slice(1), postgresql: server[0].server_version.split(' ')[0], ...versions() },
  // Identifies the measured source tree.
  sources: git('rev-parse', 'HEAD:src') + (git('status', '--porcelain', '--', '../src') ? ' with changes' : ''),
  conditions: {
    rounds: ROUNDS,
    seconds: SECONDS,
    starts: STARTS,
    connectionsToDatabase: POOL_SIZE,
    pinned: canPin ? `servers on core 0, load and database on core ${others}` : 'nothing',
  },
};
const earlier = process.env.BENCH_ONLY ? written() : undefined;
const isSame = (key) => JSON.stringify(earlier?.[key]) === JSON.stringify(now[key]);
const result = {
  ...(['date', 'sources', 'machine', 'versions', 'conditions'].every(isSame) ? earlier : { load: {} }),
  ...now,
};
const wanted = Object.keys(JOBS).filter(
  (job) => !process.env.BENCH_ONLY || process.env.BENCH_ONLY.split(',').includes(job),
);
const chosen = Object.entries(SUBJECTS)
  .map(([name, spec], index) => new Subject(name, spec, index))
  .filter(({ spec }) => wanted.some((job) => JOBS[job].takes(spec)));

async function close() {
  for (const subject of chosen) {
    await subject.close().catch((error) => console.error(`${subject.name}: ${error.message}`));
  }
  rmSync(directory, { recursive: true, force: true });
  await admin.end();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().finally(() => process.exit(1)));
try {
  for (const subject of chosen) {
    await subject.launch();
    console.log(`${subject.name} is ready after ${subject.server.bootMs} ms`);
  }
  await delay(2000);
  // Written after each job, so that a run that is stopped keeps its results.
  for (const job of wanted) {
    const before = load();
    result[job] = await JOBS[job].measure(
      chosen.filter(({ spec }) => JOBS[job].takes(spec)),
      result,
    );
    result.load[job] = { before, after: load() };
    report(result);
  }
} finally {
  await close();
}
console.log(summary(result).map(table).join('\n\n'));
console.log('\nwritten to docs/performance.md and bench/results');
