/**
 * `npm run bench -- chaos [seconds]`: runs a mixed load of `CHAOS_RATE` (15) operations per second on three replicas
 * for `CHAOS_SECONDS` (3600). Injects one fault after another, in an order that `CHAOS_SEED` determines. The faults:
 * database restart, failover to the standby, loss of Redis, full disk, clock step, mail server outage, frozen replica.
 * Afterwards, no acknowledged change may be lost, nothing may be duplicated and no resource may leak. Readiness and
 * metrics must change as the guides say. Otherwise the exit code is 1. Starts its own PostgreSQL, Redis, mail server
 * and disk, so it needs their programs and the right to mount. `CHAOS_BUILD=off` uses the existing build. `CHAOS_LOG`
 * is the beginning of the file names for the logs of the replicas.
 */
import { randomInt } from 'node:crypto';
import { cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '../scripts/build.mjs';
import { Faults } from './chaos/faults.mjs';
import { judgeAlerts, judgeLeaks, judgeReadiness, leastOf } from './chaos/judge.mjs';
import { judgeEvents, judgeLedger, judgeMail, Ledger } from './chaos/ledger.mjs';
import { Load } from './chaos/load.mjs';
import { Random } from './chaos/random.mjs';
import { report, verdicts } from './chaos/report.mjs';
import { until } from './chaos/servers.mjs';
import { DISK_MIB, REPLICAS, Stage } from './chaos/stage.mjs';
import { Watch } from './chaos/watch.mjs';
import { ask, median, writeResult } from './lib.mjs';

const SECONDS = Number(process.argv[3] ?? process.env.CHAOS_SECONDS ?? 3600);
const RATE = Number(process.env.CHAOS_RATE ?? 15);
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));
const WARM_SECONDS = Math.min(60, SECONDS / 10);
const PEOPLE = 8;
/** Longer than idle connections are kept. */
const REST_SECONDS = 75;
const SAMPLES = 5;
const MIB = 2 ** 20;
/** Emails may wait some minutes for their next delivery attempt. */
const MAIL_SECONDS = 900;

if (process.env.CHAOS_BUILD !== 'off') await build();
const random = new Random(SEED);
const stage = new Stage();
const { replicas } = stage;
const watch = new Watch(replicas);
const ledger = new Ledger();
const faults = new Faults({ stage, isWhole, begin: (name) => load.begin(name) }, new Random(SEED));
let load;
const query = (text) => stage.pair.primary.query(text);

/** Whether every replica is ready, every client attached and a standby synchronous. */
async function isWhole() {
  const states = await Promise.all(replicas.map((_, n) => watch.state(n)));
  return (
    states.every((state) => state === 'green') &&
    load.people.every(({ listener }) => listener.isAttached) &&
    stage.pair.isSynchronous()
  );
}

/** The resources of a replica, without the sockets of the permanent clients. */
async function held(replica) {
  const { resources, heapUsed, files, connections, statements } = await ask(replica, 'sample');
  const clients = load.people.filter(({ listener }) => listener.url === replica.url).length;
  const sockets = (resources.TCPSocketWrap ?? 0) + (resources.TLSSocketWrap ?? 0);
  return {
    heap: heapUsed / MIB,
    resources: Object.values(resources).reduce((sum, n) => sum + n, 0) - sockets,
    files: files - clients,
    sockets: sockets - clients,
    connections,
    statements,
    kinds: resources,
  };
}

/** The resources of each replica after a time without requests. Temporary use has ended by then, and leaks remain. */
async function atRest() {
  await delay(REST_SECONDS * 1000);
  const samples = [];
  while (samples.length < SAMPLES) {
    samples.push(await Promise.all(replicas.map(held)));
    await delay(1000);
  }
  return replicas.map((_, n) => leastOf(samples.map((sample) => sample[n])));
}

/** Runs the load until `work` ends. */
async function under(work) {
  const end = new AbortController();
  const loading = load.run(RATE, end.signal);
  await work().finally(() => end.abort());
  await loading;
}

// Child processes are stopped when this process exits normally, so a signal leads to a normal exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const loads = [];
const measuring = setInterval(() => loads.push(loadavg()[0]), 5000);
let run;
try {
  await stage.open();
  const { mailbox } = stage;
  load = new Load({ replicas, ledger, random, mailbox, faultNow: () => faults.current?.name });
  await load.enter(PEOPLE);
  await until(isWhole, 'the start');
  await under(() => delay(WARM_SECONDS * 1000));
  const before = await atRest();
  watch.begin();
  const begun = performance.now();
  await under(() => faults.run(() => performance.now() - begun >= SECONDS * 1000));
  const seconds = Math.round((performance.now() - begun) / 1000);
  await until(isWhole, 'the end of all faults');
  await until(
    async () => (await query('SELECT FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL')).length === 0,
    'the last mail',
    MAIL_SECONDS,
  );
  const found = await load.look(query);
  const messages = await query('SELECT id::text, webhook_id::text AS hook FROM webhook_message ORDER BY id');
  const storedOf = ({ hook }) => messages.filter((one) => one.hook === hook.id).map(({ id }) => id);
  await until(
    async () => load.people.every((one) => storedOf(one).every((id) => one.listener.seen.includes(id))),
    'the last event',
    30,
  ).catch(() => {});
  await watch.end();
  const after = await atRest();
  const perListener = load.people.map((one, n) => {
    const { seen, invalidated, gaps, repeated } = one.listener;
    return judgeEvents(`client ${n}`, { stored: storedOf(one), seen, invalidated, gaps, repeated });
  });
  const of = (fault) => ({ name: fault.name, at: Math.round((fault.start - begun) / 1000) });
  // Readiness while there was no fault. If it is not green, the machine itself disturbs the replicas.
  const atPeace = watch.looks.filter(({ at }) => !faults.befell.some(({ start, whole }) => at >= start && at <= whole));
  const lastLag = Math.max(
    ...replicas.map((_, n) => watch.scrapes.findLast((one) => one.replica === n && one.isUp).lag),
  );
  run = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
    load: median(loads).toFixed(1),
    postgres: (await query('SHOW server_version'))[0].server_version.split(' ')[0],
    seconds,
    seed: SEED,
    rate: RATE,
    diskMib: DISK_MIB,
    faults: faults.befell.map((fault) => ({ ...fault, ...of(fault) })),
    ledger: judgeLedger(ledger, found),
    mail: judgeMail(ledger, mailbox.delivered),
    events: { lost: perListener.flatMap(({ lost }) => lost), doubled: perListener.flatMap(({ doubled }) => doubled) },
    files: found.files,
    leaks: judgeLeaks(before, after),
    kinds: { before: before.map(({ kinds }) => kinds), after: after.map(({ kinds }) => kinds) },
    readiness: faults.befell.map((fault) => ({ ...of(fault), ...judgeReadiness(fault, watch.looks, REPLICAS) })),
    alerts: [
      ...faults.befell.map((fault) => ({ ...of(fault), ...judgeAlerts(fault, watch.scrapes, REPLICAS) })),
      { name: 'the end', at: seconds, expected: [], wrong: lastLag > 0 ? [`mail waits for ${lastLag} s`] : [] },
    ],
    unexpected: [...load.unexpected].map(([what, count]) => `${count} x ${what}`),
    counts: {
      'values of profiles and verifications': ledger.cells.size,
      'writes of them': [...ledger.cells.values()].reduce((sum, writes) => sum + writes.length, 0),
      accounts: ledger.things.get('account')?.size ?? 0,
      sessions: ledger.sessions.size,
      'one-time secrets': ledger.secrets.size,
      'requests that redeemed them': [...ledger.secrets.values()].reduce((sum, { tries }) => sum + tries, 0),
      uploads: load.files.size,
      'messages, and events of them': messages.length,
      'gateway sessions resumed': load.people.reduce((sum, { listener }) => sum + listener.resumes, 0),
      'gateway sessions away for longer than they are kept': load.people.reduce(
        (sum, { listener }) => sum + listener.gaps.length,
        0,
      ),
      'mail delivered': mailbox.delivered.length,
      'looks at readiness between faults': atPeace.length,
      'of these not green': atPeace.filter(({ state }) => state !== 'green').length,
      'answers by status': Object.entries(load.statuses)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', '),
      'not begun, since too many ran': load.skipped,
    },
    done: load.done,
  };
} finally {
  clearInterval(measuring);
  await load?.close();
  await stage.close();
}

const text = report(run);
console.log(`\n${text}\nwritten to ${writeResult('chaos', run, text)}`);
process.exitCode = verdicts(run).every(({ faults: broken }) => broken.length === 0) ? 0 : 1;
