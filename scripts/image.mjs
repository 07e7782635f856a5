/**
 * Runs the stages of the Dockerfile in a temporary root, for machines without a container engine. Starts the result
 * like `compose.yaml`: as user 1000, with a read-only root, its volumes and its settings. The production install must
 * contain no development packages, reject development defaults, serve a user behind the load balancer, and keep media.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from 'js-yaml';
import pg from 'pg';
import sharp from 'sharp';
import { build } from './build.mjs';
import { contentsOf, differences, strangeBelow, textOf } from './image-contents.mjs';
import { binaryOf } from './node-binaries.mjs';
import { isPrecompiled, listening } from './starting.mjs';
import { sbomOf } from './supply-chain.mjs';

const USER = 1000;
const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
const image = join(place, 'app');
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
chmodSync(place, 0o755);
mkdirSync(image);

function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

await build({ types: true });
// The image is built only from the sources, so the compile cache of this checkout is not part of it.
const isCompiled = (path) => path.endsWith('/dist/service/compiled');
for (const name of ['package.json', 'package-lock.json', 'client/package.json', 'dist']) {
  cpSync(join(root, name), join(image, name), { recursive: true, filter: (path) => !isCompiled(path) });
}
const npm = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
demand(spawnSync('npm', npm, { cwd: image, stdio: 'inherit' }).status === 0, 'npm ci failed');
// As in the Dockerfile: npm keeps TypeScript as an optional peer dependency of another package. The test kit is for
// projects that install the package.
for (const path of [
  ...['client', 'node_modules/@gatehouse-auth', 'node_modules/typescript', 'dist/test', 'dist/manual'],
  ...readdirSync(join(image, 'dist'))
    .filter((name) => /^\..*(?:stamp|tsbuildinfo)$/.test(name))
    .map((name) => `dist/${name}`),
]) {
  rmSync(join(image, path), { recursive: true, force: true });
}
writeFileSync(join(image, 'sbom.cdx.json'), JSON.stringify(sbomOf(image)));
const { packages } = JSON.parse(readFileSync(join(image, 'package-lock.json'), 'utf8'));
const isInstalled = (path) => existsSync(join(image, path));
const { dependencies, peerDependencies, peerDependenciesMeta } = packages[''];
const shared = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
const missing = [...Object.keys(dependencies), ...shared].filter((name) => !isInstalled(`node_modules/${name}`));
const stray = Object.keys(packages).filter(
  (path) => (packages[path].dev || packages[path].devOptional) && isInstalled(path),
);
demand(missing.length === 0 && stray.length === 0, `missing: ${missing}; of development: ${stray}`);

const strange = strangeBelow(image);
demand(strange.length === 0, `files that no image needs: ${strange.join(', ')}`);
const places = contentsOf(image);
const accepted = join(root, 'deploy', 'image.txt');
if (process.argv.includes('--write')) writeFileSync(accepted, textOf(places));
const others = differences(places, readFileSync(accepted, 'utf8'));
demand(
  others.length === 0,
  `${others.join('\n')}\nThe image holds what nobody accepted: node scripts/image.mjs --write`,
);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const bySize = [...places].sort(([, a], [, b]) => b - a);
console.log(`${megabytes(bySize.reduce((sum, [, size]) => sum + size, 0))} in ${bySize.length} places, the largest:`);
for (const [name, size] of bySize.slice(0, 10)) console.log(`${megabytes(size).padStart(9)}  ${name}`);

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const [, line] = /^FROM node:(\d+)-slim$/m.exec(dockerfile);
const bin = await binaryOf(line, place);
const node = bin ? join(bin, 'node') : process.execPath;
if (bin) chmodSync(join(bin, '..', '..'), 0o755);
console.log(
  bin ? `on Node ${line}, as the image` : `The registry has no binary of Node ${line}: on ${process.version}`,
);

// The line of the Dockerfile that creates folders, with the folders and the user of this machine.
const isRoot = process.getuid() === 0;
const [, prepare] = /^RUN (mkdir -p .+)$/m.exec(dockerfile);
const here = prepare
  .replaceAll('/app/', `${image}/`)
  .replaceAll('node:node', isRoot ? `${USER}:${USER}` : `${process.getuid()}`);
demand(
  spawnSync('sh', ['-euc', here.replaceAll(' /app', ` ${image}`)], { stdio: 'inherit' }).status === 0,
  'no folders',
);

// As in the Dockerfile, before the folder belongs to root. The scripts are copied, because the user of the image may
// not be allowed to read the sources here.
for (const name of ['compiled.mjs', 'starting.mjs']) {
  cpSync(join(root, 'scripts', name), join(place, 'scripts', name));
}
const kept = join(image, 'dist', 'service', 'compiled');
mkdirSync(kept);
if (isRoot) chownSync(kept, USER, USER);
const drop = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs'] : [];
const [program, ...rest] = [...drop, node, join(place, 'scripts', 'compiled.mjs')];
demand(spawnSync(program, rest, { cwd: image, stdio: 'inherit' }).status === 0, 'nothing was compiled');
if (isRoot) spawnSync('chown', ['-R', '0:0', kept]);

const compose = load(readFileSync(join(root, 'compose.yaml'), 'utf8'));
const replica = compose.services['gatehouse-1'];
const isFile = (volume) => volume.startsWith('./');
for (const volume of replica.volumes.filter(isFile)) {
  const [from, to] = volume.split(':');
  cpSync(join(root, from), to.replace('/app', image));
}
const volumes = replica.volumes.filter((volume) => !isFile(volume));
const targets = volumes.map((volume) => volume.slice(volume.indexOf('/app')).replace('/app', image));
const canMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
/**
 * Runs a command as the user of the image, with a read-only root and writable volumes. Uses mounts, or only permissions
 * if it cannot mount.
 */
function contained(command) {
  if (!isRoot) return command;
  const inside = [...drop, '--bounding-set=-all', ...command];
  if (!canMount) return inside;
  const mounts = [`mount --bind ${image} ${image}`, ...targets.map((target) => `mount --bind ${target} ${target}`)];
  const script = [...mounts, `mount -o remount,bind,ro ${image}`, 'exec "$@"'].join(' && ');
  return ['unshare', '--mount', 'sh', '-euc', script, 'sh', ...inside];
}
const restore = () => spawnSync('chmod', ['-R', 'u+w', image]);
if (!isRoot) {
  // Without the permission to mount and to change the user, make everything outside of the volumes read-only.
  spawnSync('find', [image, '-type', 'd', '!', '-path', `${image}/data/*`, '-exec', 'chmod', 'u-w', '{}', '+']);
  process.on('exit', restore);
}

/** Runs the command of the image with a clean environment and these variables. */
function run(env) {
  const [command, ...args] = contained([node, 'dist/service/main.cjs']);
  const child = spawn(command, args, {
    cwd: image,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', MAX_LOOP_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const process_ = { child, out: '', err: '', exited: once(child, 'close').then(([code]) => code) };
  child.stdout.on('data', (chunk) => {
    process_.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    process_.err += chunk;
  });
  return process_;
}

const bare = run({});
demand((await bare.exited) === 1, 'production started on the defaults of development');
for (const name of ['GATEHOUSE_SECRET', 'DATABASE_URL', 'MAIL_TRANSPORT']) {
  demand(bare.err.includes(name), `${name} was not asked for:\n${bare.err}`);
}

/**
 * Creates a database on the server of the tests. Without a server, uses the embedded database on an additional volume.
 */
async function databaseFor(server) {
  if (!server) {
    const DATA_DIR = join(place, 'database');
    mkdirSync(DATA_DIR);
    if (isRoot) chownSync(DATA_DIR, USER, USER);
    return {
      env: { EMBEDDED_DATABASE: 'true', DATA_DIR, MEDIA_LOCAL_ROOT: media },
      cache: join(DATA_DIR, 'media-cache'),
    };
  }
  const name = `gatehouse_image_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
  return { env: { DATABASE_URL: url.href }, cache: join(image, 'data', 'media-cache'), drop };
}

// The settings of compose.yaml, except those that name other services. The load balancer is a local IP address.
const BALANCER = '127.0.0.10';
const GATEWAY = '127.0.0.1';
const media = join(image, 'data', 'media');
const { DATABASE_URL, REDIS_URL, TRUSTED_PROXIES, ...settings } = replica.environment;
settings.SERVICE_POLICIES_FILE = settings.SERVICE_POLICIES_FILE.replace('/app', image);
demand(DATABASE_URL && REDIS_URL, 'compose.yaml names no database or no shared store');
demand(
  TRUSTED_PROXIES === compose.services.balancer.networks.default.ipv4_address,
  'compose.yaml trusts others than the balancer',
);
const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 89 + 41) % 256)).toString('base64');
const database = await databaseFor(process.env.TEST_DATABASE_URL);
const env = { ...settings, ...database.env, GATEHOUSE_SECRET: secret, TRUSTED_PROXIES: BALANCER };

async function started() {
  const service = run({ ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
  const { port } = new URL(
    await listening(service.child).catch((error) => {
      throw new Error(`${error.message}\n${service.err}`);
    }),
  );
  /** Sends a request from an IP address: forwarded by the load balancer, or directly. */
  const ask = (localAddress, path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers, localAddress }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks) }));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  return { ...service, service, ask };
}

async function ended({ service }) {
  service.child.kill('SIGTERM');
  demand((await service.exited) === 0, `the service ended badly:\n${service.err}`);
}

const first = await started();
const balanced = { 'x-forwarded-for': GATEWAY };
const json = { ...balanced, 'content-type': 'application/json' };
demand((await first.ask(GATEWAY, '/health/ready')).status === 200, 'readiness is red');
demand((await first.ask(BALANCER, '/dev/inbox', { headers: balanced })).status === 404, 'production shows an inbox');
for (const forwarded of [GATEWAY, BALANCER, `${GATEWAY}, ${BALANCER}`]) {
  const { status } = await first.ask(BALANCER, '/.well-known/service', { headers: { 'x-forwarded-for': forwarded } });
  demand(status === 200, `a person behind the hops ${forwarded} got ${status}`);
}
demand(
  (await first.ask(BALANCER, '/.well-known/service')).status === 403,
  'a balancer that keeps the address was believed',
);
// The log line may be written after the response.
for (let n = 0; n < 100 && !first.service.out.includes('no X-Forwarded-For'); n++) await delay(50);
demand(first.service.out.includes('no X-Forwarded-For'), 'the refusal was not logged');

const account = { email: 'ada@example.com', password: 'a long enough password' };
const registered = await first.ask(BALANCER, '/v1/auth/register', {
  method: 'POST',
  headers: json,
  body: JSON.stringify(account),
});
const { token } = JSON.parse(registered.body);
const pixels = { width: 128, height: 128, channels: 3, background: '#c06030' };
const picture = (await sharp({ create: pixels }).png().toBuffer()).toString('base64');
const changed = await first.ask(BALANCER, '/v1/users/@me', {
  method: 'PATCH',
  headers: { ...json, authorization: token },
  body: JSON.stringify({ avatar: `data:image/png;base64,${picture}` }),
});
demand(changed.status === 200, `an avatar was answered ${changed.status}: ${changed.body}\n${first.service.out}`);
const { id, avatar } = JSON.parse(changed.body);
const shown = await first.ask(BALANCER, `/media/avatars/${id}/${avatar}.webp?size=64`, { headers: balanced });
demand(shown.status === 200, `the stored avatar was answered ${shown.status}`);
demand(readdirSync(database.cache).length > 0, `no transformed image was kept:\n${first.service.out}`);
demand(readdirSync(join(media, 'media')).length > 0, 'the avatar is not on its volume');
await ended(first);
demand(
  readdirSync(kept).length === 0 || isPrecompiled(first.service.err),
  `what is kept compiled was not used:\n${first.service.err}`,
);
await database.drop?.();

// The command of the image, through the link that the Dockerfile creates.
const command = join(place, 'gatehouse');
symlinkSync(join(image, 'dist', 'src', 'cli.js'), command);
const help = spawnSync(command, ['user', 'show', '-h'], { encoding: 'utf8' });
demand(help.stdout?.startsWith('usage: gatehouse user show <email|id>'), `no command: ${help.stderr}`);

console.log(
  `the production install has no dev dependencies, refuses development defaults, and serves behind a balancer as ${
    isRoot ? `user ${USER}` : 'this user'
  } with a root that is read-only by ${canMount ? 'mounts' : 'rights'}, on ${
    database.drop ? 'PostgreSQL' : 'the embedded database'
  }`,
);
