import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const canPin = spawnSync('taskset', ['-V']).status === 0;

/** A free port on loopback. */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a server on the first core; the load comes from the others. */
export async function start(script, env) {
  const port = await freePort();
  const command = canPin ? ['taskset', '-c', '0', process.execPath, script] : [process.execPath, script];
  const begun = performance.now();
  const child = spawn(command[0], command.slice(1), {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
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
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

/** Processor seconds (user and system) that a process has used. */
export function cpuSeconds({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
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
