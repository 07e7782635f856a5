import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { freePort, ownDatabase } from '../../bench/lib.mjs';
import { within } from './ask.mjs';

const DEBIAN = '/usr/lib/postgresql';
const ofDebian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', ...ofDebian];

/** @throws Error if none of these programs is installed on this machine */
function program(instead, ...names) {
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error(`no ${names.join(' or ')} on this machine: name a server by ${instead}`);
  return found;
}

/** PostgreSQL refuses to run as root. */
function postgresUser() {
  if (process.getuid() !== 0) return {};
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function launched(command, args, options, port) {
  const child = spawn(command, args, { ...options, stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = once(child, 'exit');
  const isUp = async () => {
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const [event] = await Promise.race([once(socket, 'connect').then(() => ['up']), once(socket, 'error')]);
      socket.destroy();
      if (event === 'up') return;
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await within(isUp(), `a connection to ${command}`);
  return async () => {
    child.kill('SIGINT');
    await ended;
    process.off('exit', end);
  };
}

/** Returns the URL of an empty database and a function that releases it. */
export async function database(folder) {
  const { TEST_DATABASE_URL: server } = process.env;
  if (server) {
    const { url, drop } = await ownDatabase(server, 'rolling');
    return { url, close: drop };
  }
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => program('TEST_DATABASE_URL', name));
  const place = join(folder, 'postgres');
  mkdirSync(place);
  const user = postgresUser();
  if (user.uid) {
    chownSync(place, user.uid, user.gid);
    chmodSync(folder, 0o711);
  }
  const options = { ...user, cwd: place };
  execFileSync(initdb, ['-D', 'data', '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...options,
    stdio: 'pipe',
  });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${place}`].flatMap((one) => ['-c', one]);
  const close = await launched(postgres, ['-D', 'data', '-p', String(port), ...settings], options, port);
  return { url: `postgres://gatehouse@127.0.0.1:${port}/postgres`, close };
}

/** Returns the URL of a Redis server and a function that stops it. */
export async function redis(folder) {
  const { TEST_REDIS_URL: url } = process.env;
  if (url) return { url, close: async () => {} };
  const server = program('TEST_REDIS_URL', 'redis-server', 'valkey-server');
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  const close = await launched(server, settings, { cwd: folder }, port);
  return { url: `redis://127.0.0.1:${port}/0`, close };
}
