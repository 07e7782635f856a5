import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

const canPin = spawnSync('taskset', ['-V']).status === 0;

/** A free port on loopback. */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Starts a server on the first core, because the load uses the others. Without pinning, it can use all cores.
 * @param options whether it is pinned, the Node binary that runs it, the arguments of Node, and where it writes
 */
export async function start(script, env, options = {}) {
  const { pinned = canPin, node = process.execPath, args = [], serialization = 'json', stdout = 'ignore' } = options;
  const port = await freePort();
  const command = [...(pinned ? ['taskset', '-c', '0'] : []), node, ...args, script];
  const begun = performance.now();
  const child = spawn(command[0], command.slice(1), {
    // Does not pass on the additional certificate authorities of this machine.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env, PORT: String(port) },
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
    serialization,
  });
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const url = `http://127.0.0.1:${port}`;
  const exited = new Promise((_, reject) =>
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`))),
  );
  exited.catch(() => {});
  await Promise.race([ready(child, url), exited]);
  return { child, port, url, bootMs: Math.round(performance.now() - begun) };
}

async function ready(child, url) {
  let announced = false;
  child.once('message', () => {
    announced = true;
  });
  while (!announced) {
    const up = await fetch(`${url}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const stop = ({ child }) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

/** CPU seconds (user and system) that a process has used. */
export function cpuSeconds({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** CPU seconds that the threads of a process have used, to the nanosecond. 0 if they cannot be read. */
export function preciseCpuSeconds(pid) {
  let nanoseconds = 0;
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  } catch {
    return 0;
  }
  return nanoseconds / 1e9;
}

/** IDs of the main process of a PostgreSQL server and of its children. */
export function databaseProcesses(data) {
  const [main] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  return [main, ...readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ')];
}

/** CPU seconds of all processes of a PostgreSQL server, including those that have ended. */
export function databaseCpuSeconds(data) {
  const [main, ...children] = databaseProcesses(data);
  const fields = readFileSync(`/proc/${main}/stat`, 'utf8').split(') ')[1].split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) / 100;
  return children.reduce((sum, pid) => sum + preciseCpuSeconds(pid), ended);
}

/** Sends a question to the watched service (`servers/watched.mjs`) and waits for the response. */
export function ask({ child }, question) {
  const id = Math.random();
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the service has ended'));
    const heard = (message) => {
      if (message?.id !== id) return;
      child.off('message', heard);
      child.off('exit', ended);
      if (message.error) reject(new Error(message.error));
      else resolve(message.answer);
    };
    child.on('message', heard);
    child.once('exit', ended);
    child.send({ id, ask: question });
  });
}

const root = join(import.meta.dirname, '..');

/** Starts the built service like `npm start`, with the module that watches it. */
export const startWatched = (env) =>
  start(join(import.meta.dirname, 'servers/watched.mjs'), env, {
    args: ['-r', join(root, 'dist/src/core/thread-pool.cjs'), '--expose-gc'],
    serialization: 'advanced',
  });

/** The value below which `share` of the values are. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Creates a database on the server that `url` names. Returns its URL, its name and a function that drops it. */
export async function ownDatabase(url, purpose) {
  const name = `gatehouse_${purpose}_${process.pid}`;
  const run = async (text) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return { url: address.href, name, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** A table in Markdown. The first row is its header. */
export const markdown = ([head, ...rows]) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

/**
 * Replaces the report of a benchmark in `results/<part>-<day>`. The repository keeps the table and ignores the raw
 * figures. Returns the file names.
 */
export function writeResult(part, data, text) {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (new RegExp(`^${part}-\\d{4}-\\d\\d-\\d\\d\\.(?:json|md)$`).test(name)) rmSync(join(folder, name));
  }
  const name = join(folder, `${part}-${new Date().toISOString().slice(0, 10)}`);
  writeFileSync(`${name}.json`, `${JSON.stringify(data, null, 2)}\n`);
  writeFileSync(`${name}.md`, text);
  return `bench/results/${part}-*.{json,md}`;
}

export const rssMib = ({ child }) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column])))
        .join('  '),
    )
    .join('\n');
}
