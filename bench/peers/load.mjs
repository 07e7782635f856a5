import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { importFrom } from '../../scripts/packages.mjs';
import { cpuSeconds } from '../lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');

const nanoseconds = (path) => Number(readFileSync(path, 'utf8').split(' ')[0]);

/**
 * CPU seconds of all threads of a server, more precise than the hundredths of `/proc/<pid>/stat` if the kernel allows
 * it.
 */
export function processorSeconds(server) {
  const tasks = `/proc/${server.child.pid}/task`;
  try {
    return readdirSync(tasks).reduce((sum, id) => sum + nanoseconds(`${tasks}/${id}/schedstat`), 0) / 1e9;
  } catch {
    return cpuSeconds(server);
  }
}

/** The PostgreSQL processes that serve a database, if they run on this machine. */
export class Backends {
  constructor(client, cores) {
    this.client = client;
    this.cores = cores;
    this.pinned = new Set();
  }

  async of(database) {
    const text = "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'";
    const { rows } = await this.client.query(text, [database]);
    return rows.map(({ pid }) => pid).filter(isPostgres);
  }

  /** Moves new processes off the core of the servers. */
  async pin(database) {
    const fresh = (await this.of(database)).filter((pid) => !this.pinned.has(pid));
    if (!this.cores || fresh.length === 0) return;
    spawnSync('sh', ['-c', 'for pid; do taskset -acp "$0" "$pid"; done', this.cores, ...fresh.map(String)]);
    for (const pid of fresh) this.pinned.add(pid);
  }

  /** CPU seconds of each process. */
  async seconds(database) {
    const pids = database ? await this.of(database) : [];
    return new Map(pids.map((pid) => [pid, nanoseconds(`/proc/${pid}/schedstat`) / 1e9]));
  }
}

function isPostgres(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
  } catch {
    return false;
  }
}

/** Sends the same GET request over several connections, each with its own credential. */
export async function gets(url, credentials, connections, seconds) {
  let next = 0;
  const { requests, duration, non2xx, errors } = await autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 60,
    setupClient: (client) => client.setHeaders(credentials[next++ % credentials.length]),
  });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} failed`);
  return { count: requests.total, seconds: duration };
}

/** Each worker repeats `step` on its own state until the time is over or a step has nothing left to do. */
export async function closedLoop(states, seconds, step) {
  const begun = performance.now();
  let count = 0;
  const worker = async (state) => {
    for (let current = state; performance.now() - begun < seconds * 1000; count++) {
      current = await step(current);
      if (current === undefined) return;
    }
  };
  await Promise.all(states.map(worker));
  return { count, seconds: (performance.now() - begun) / 1000 };
}

/**
 * Sends at a fixed rate without waiting for responses. Returns milliseconds from the time at which each request was
 * due.
 */
export async function openLoop(rate, seconds, send) {
  const count = Math.max(1, Math.round(rate * seconds));
  const milliseconds = [];
  const running = [];
  const begun = performance.now();
  while (running.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * rate) + 1);
    while (running.length < due) {
      const intended = begun + (running.length * 1000) / rate;
      running.push(send().then(() => void milliseconds.push(performance.now() - intended)));
    }
    await delay(1);
  }
  await Promise.all(running);
  return milliseconds;
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
