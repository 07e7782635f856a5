/**
 * Starts the built service like a new user, registers an account, reads it and stops the service. The data must survive
 * a restart.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-smoke-'));
const PORT = String(20_000 + (process.pid % 10_000));
const url = `http://127.0.0.1:${PORT}`;

async function start() {
  const begun = performance.now();
  const child = spawn(process.execPath, ['scripts/start.cjs'], {
    env: { ...process.env, PORT, DATA_DIR: directory, MAX_LOOP_DELAY_MS: '0', LOG_LEVEL: 'warn' },
    stdio: 'inherit',
  });
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    const ready = await fetch(`${url}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
    if (ready) {
      console.log(`ready after ${Math.round(performance.now() - begun)} ms`);
      return child;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the service did not get ready');
}

async function stop(child) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`the service ended with ${code}`);
}

async function expectStatus(status, response) {
  if (response.status !== status)
    throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const first = await start();
const { token } = await expectStatus(
  200,
  await fetch(`${url}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'smoke@example.com', password: 'a long enough password' }),
  }),
);
await expectStatus(200, await fetch(`${url}/v1/users/@me`, { headers: { authorization: token } }));
await expectStatus(401, await fetch(`${url}/v1/users/@me`));
await stop(first);

const second = await start();
const me = await expectStatus(200, await fetch(`${url}/v1/users/@me`, { headers: { authorization: token } }));
if (me.email !== 'smoke@example.com') throw new Error('the account is not the one that was registered');
await stop(second);
rmSync(directory, { recursive: true, force: true });
console.log('smoke test passed');
