/** Background jobs on replicas that are killed. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const SCRIPT = join(import.meta.dirname, 'jobs-replica.mjs');
const SERVICE = join(import.meta.dirname, '../../dist/service/main.cjs');
const REPLICAS = 3;
const KILL_MS = 1000;
const CALLERS = 4;
/** The first run of `platform:clean_up` is 50 to 55 seconds after the start, and each other one 50 to 55 seconds after it. */
const SETTLE_SECONDS = 10;
const IDLE_SECONDS = 50;
const TICKS_PER_SECOND = 100;
const KIB = 1024;

/** A replica as a process of its own. */
class Replica {
  url;
  isKilled = false;

  constructor(env, script = SCRIPT) {
    this.directory = mkdtempSync(join(tmpdir(), 'gatehouse-proof-'));
    this.startedAt = performance.now();
    const settings = {
      PORT: '0',
      DATA_DIR: this.directory,
      RATE_LIMITS: 'off',
      MAX_LOOP_DELAY_MS: '0',
      LOG_LEVEL: 'error',
    };
    this.child = spawn(process.execPath, [script], {
      cwd: this.directory,
      env: { PATH: process.env.PATH, ...settings, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.output = '';
    this.exited = once(this.child, 'exit');
    this.ready = new Promise((resolve) => {
      const read = (chunk) => {
        this.output += chunk;
        this.url = /^Listening +(http:\S+)$/m.exec(this.output)?.[1];
        if (!this.url) return;
        this.startMs ??= performance.now() - this.startedAt;
        resolve();
      };
      this.child.stdout.on('data', read);
      this.child.stderr.on('data', read);
    });
  }

  /** Waits until the replica accepts requests. */
  async listening() {
    const isOver = await Promise.race([this.ready, this.exited.then(() => true)]);
    if (isOver) throw new Error(`a replica has ended: ${this.output}`);
    return this;
  }

  /** The CPU time so far, in seconds. */
  get cpuSeconds() {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  get residentMib() {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))[1]) / KIB;
  }

  async kill() {
    this.isKilled = true;
    this.child.kill('SIGKILL');
    await this.exited;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function withDatabase(server, work) {
  const name = `gatehouse_proof_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(url.href, async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

/** Sends each number until a replica has accepted or rejected it. A key makes repetitions harmless. */
async function send(numbers, statusOf, readyReplicas) {
  const left = [...numbers];
  const call = async () => {
    for (let number = left.pop(); number !== undefined; number = left.pop()) {
      const isRolledBack = statusOf(number) === 409;
      for (let status; status !== statusOf(number); ) {
        const [replica] = readyReplicas().sort(() => Math.random() - 0.5);
        const body = JSON.stringify({ number, is_rolled_back: isRolledBack });
        const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
        status = replica && (await fetch(`${replica.url}/v1/proof`, request).catch(() => undefined))?.status;
        if (status !== statusOf(number)) await pause(50);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
}

const RESULT = `
  SELECT number, count(*)::int AS starts, count(done_at)::int AS ends,
         array_agg(pid ORDER BY attempt DESC) AS pids FROM proof_run GROUP BY number`;

/**
 * Counts the broken promises of runs. Jobs from number `jobs` on were rolled back.
 * @param runs the result of `RESULT`
 * @param killed IDs of the killed processes
 */
export function countBroken(runs, { jobs, killed }) {
  const ended = new Set(runs.filter(({ ends }) => ends > 0).map(({ number }) => number));
  const repeated = runs.filter(({ starts }) => starts > 1);
  return {
    lost: Array.from({ length: jobs }, (_, number) => number).filter((number) => !ended.has(number)).length,
    ranAfterRollback: runs.filter(({ number }) => number >= jobs).length,
    repeated: repeated.length,
    repeatedWithoutDeath: repeated.filter(({ pids }) => pids.slice(1).some((pid) => !killed.has(pid))).length,
  };
}

/**
 * Runs jobs over three replicas. One of them is killed every second, if another one accepts requests.
 * @param server URL of a PostgreSQL server on which a database can be created
 * @param jobs number of jobs. A quarter as many transactions are rolled back after they have enqueued a job
 */
export async function proveJobs(server, jobs) {
  const env = { GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
  return withDatabase(server, async (DATABASE_URL, query) => {
    const start = () => new Replica({ ...env, DATABASE_URL });
    const replicas = [await start().listening()];
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS - 1 }, () => start().listening()))));
    const killed = new Set();
    let isOver = false;
    const ready = () => replicas.filter(({ url, isKilled }) => url && !isKilled);
    const killing = (async () => {
      for (;;) {
        await pause(KILL_MS);
        if (isOver) return;
        const [victim, another] = ready();
        if (!another) continue;
        killed.add(victim.child.pid);
        await victim.kill();
        replicas.splice(replicas.indexOf(victim), 1);
        replicas.push(start());
      }
    })();
    const begin = performance.now();
    const numbers = Array.from({ length: jobs + Math.floor(jobs / 4) }, (_, index) => index);
    await send(numbers, (number) => (number < jobs ? 204 : 409), ready);
    const left = `SELECT count(*)::int AS left FROM pgboss_job WHERE name = 'proof:work' AND state < 'completed'`;
    while ((await query(left))[0].left > 0) await pause(200);
    isOver = true;
    await killing;
    const runs = await query(RESULT);
    await Promise.all(replicas.map((replica) => replica.kill()));
    return {
      jobs,
      rolledBack: Math.floor(jobs / 4),
      kills: killed.size,
      seconds: (performance.now() - begin) / 1000,
      ...countBroken(runs, { jobs, killed }),
    };
  });
}

/** Start time, memory and use of an idle service. */
async function idle(env, script, query) {
  const replica = await new Replica(
    { GATEHOUSE_SECRET: randomBytes(32).toString('base64'), ...env },
    script,
  ).listening();
  await pause(SETTLE_SECONDS * 1000);
  const commits = async () =>
    query &&
    Number((await query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()'))[0].xact_commit);
  const [cpu, before] = [replica.cpuSeconds, await commits()];
  await pause(IDLE_SECONDS * 1000);
  const after = await commits();
  const found = {
    startMs: replica.startMs,
    mib: replica.residentMib,
    cpuMsPerSecond: ((replica.cpuSeconds - cpu) * 1000) / IDLE_SECONDS,
    perSecond: query && (after - before) / IDLE_SECONDS,
  };
  await replica.kill();
  return found;
}

async function figures(server) {
  const onPostgres = (script) =>
    withDatabase(server, async (DATABASE_URL, query) => {
      await (
        await new Replica({ GATEHOUSE_SECRET: randomBytes(32).toString('base64'), DATABASE_URL }, script).listening()
      ).kill();
      return idle({ DATABASE_URL }, script, query);
    });
  return {
    'PostgreSQL, the service': await onPostgres(SERVICE),
    'PostgreSQL, an extension declares one more job': await onPostgres(SCRIPT),
    'Embedded database, the service': await idle({}, SERVICE),
    'Embedded database, an extension declares one more job': await idle({}, SCRIPT),
  };
}

const row = (cells) => `| ${cells.join(' | ')} |`;

export async function report() {
  const server = process.env.DATABASE_URL;
  if (!server) throw new Error('Set DATABASE_URL to a PostgreSQL server on which a database can be created.');
  const load = loadavg()[0].toFixed(1);
  const found = await proveJobs(server, Number(process.env.PROOF_JOBS ?? 1000));
  const measured = await figures(server);
  const isKept = found.lost + found.ranAfterRollback + found.repeatedWithoutDeath === 0;
  const number = (value) => (value === undefined ? '-' : value.toFixed(1));
  const text = [
    '# Background jobs',
    '',
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}, load average ${load}.`,
    'Written by `npm run proof -- jobs`.',
    '',
    '## Killed replicas',
    '',
    `${found.jobs} jobs on three replicas and one PostgreSQL, in ${found.seconds.toFixed(0)} s. Every second, one replica is killed with \`kill -9\` if`,
    `another one accepts requests, and a new one is started. ${found.kills} replicas were killed. Another ${found.rolledBack} transactions are rolled back after they`,
    'have enqueued a job. A job takes 150 ms, and its lease is 5 s.',
    '',
    row(['Promise', 'Broken']),
    row(['---', '---:']),
    row(['No job is lost', found.lost]),
    row(['No job of a transaction that was rolled back runs', found.ranAfterRollback]),
    row(['A job runs again only if the process of its former run was killed', found.repeatedWithoutDeath]),
    '',
    `${found.repeated} jobs ran more than once.`,
    '',
    '## Cost of an empty queue',
    '',
    `Over ${IDLE_SECONDS} s without requests, ${SETTLE_SECONDS} s after the start, and with one run of \`platform:clean_up\`. Transactions include all other work of`,
    'an idle service, such as the journal. The service alone starts from the bundle. With an extension, it starts from its modules.',
    '',
    row(['Service', 'Transactions per second', 'CPU time, ms per second', 'Memory, MiB', 'Start, ms']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...Object.entries(measured).map(([name, { startMs, mib, cpuMsPerSecond, perSecond }]) =>
      row([name, number(perSecond), number(cpuMsPerSecond), mib.toFixed(0), startMs.toFixed(0)]),
    ),
  ].join('\n');
  return { text, isKept };
}
