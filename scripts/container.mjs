/**
 * Builds the image from its Dockerfile and starts it, without a container engine. buildah replaces the engine. The base
 * image is only available from an image registry. It is replaced by Debian from debootstrap, with Node and npm from the
 * npm registry. Run it as root on Debian. On other systems it reports what is missing, and `scripts/image.mjs` runs the
 * stages without these tools.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerHelp } from './help.mjs';
import { contentsOf, differences, strangeBelow } from './image-contents.mjs';
import { isPrecompiled, listening } from './starting.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const BASE = 'docker.io/library/node:24-slim';
const MIRROR = 'http://deb.debian.org/debian';

const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const missing = ['buildah', 'debootstrap'].filter((command) => !has(command));
if (process.getuid() !== 0) missing.push('the rights of root');
if (missing.length > 0) {
  console.log(`The image was not built here: no ${missing.join(', no ')}.`);
  process.exit(0);
}

const place = mkdtempSync(join(tmpdir(), 'gatehouse-container-'));
const store = ['--root', join(place, 'store'), '--runroot', join(place, 'run'), '--storage-driver', 'overlay'];

function run(command, args, options = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}:\n${stdout?.slice(-4000)}`);
  return stdout.trim();
}
const buildah = (...args) => run('buildah', [...store, ...args]);

/** Creates a folder like the root of the base image: Debian, Node 24, npm, and a user `node` with the ID 1000. */
function baseFolder() {
  const base = join(place, 'base');
  run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base, MIRROR]);
  const [packed] = run('npm', ['pack', `node-${process.platform}-${process.arch}@24`, '--silent']).split('\n');
  run('tar', ['xzf', packed]);
  copyFileSync(join(place, 'package', 'bin', 'node'), join(base, 'usr/local/bin/node'));
  const npm = join(run('npm', ['root', '--global']), 'npm');
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  // Copy the certificates that this machine trusts, which are necessary if it reaches the registry through a proxy.
  const cafile = run('npm', ['config', 'get', 'cafile']);
  if (existsSync(cafile)) {
    copyFileSync(cafile, join(base, 'etc/ssl/certs/ca-certificates.crt'));
    mkdirSync(join(base, 'usr/local/etc'), { recursive: true });
    writeFileSync(join(base, 'usr/local/etc/npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n');
  }
  run('chroot', [base, 'groupadd', '-g', '1000', 'node']);
  run('chroot', [base, 'useradd', '-u', '1000', '-g', '1000', '-m', 'node']);
  return base;
}

/** Copies the sources that an engine would receive: tracked files, and untracked files that Git does not ignore. */
function context() {
  const folder = join(place, 'context');
  mkdirSync(folder);
  const names = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const name of names.split('\0').filter((one) => one !== '' && existsSync(join(root, one)))) {
    cpSync(join(root, name), join(folder, name));
  }
  return folder;
}

/** Builds the image. Returns its root folder and its configuration. */
function built() {
  const base = buildah('from', 'scratch');
  buildah('add', '--quiet', base, baseFolder(), '/');
  buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', base);
  buildah('commit', '--quiet', '--rm', base, BASE);
  const began = Date.now();
  buildah('build', '--format', 'docker', '--pull-never', '--layers=false', '--tag', 'gatehouse', context());
  console.log(`the Dockerfile was built in ${Math.round((Date.now() - began) / 1000)} s`);
  const container = buildah('from', '--pull-never', 'localhost/gatehouse');
  const { config } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/gatehouse')).Docker;
  return { container, folder: buildah('mount', container), config };
}

process.on('exit', () => {
  spawnSync('buildah', [...store, 'umount', '--all']);
  spawnSync('buildah', [...store, 'rm', '--all']);
  rmSync(place, { recursive: true, force: true });
});

function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

const { folder, config } = built();
demand(config.User === '1000:1000', `the image runs as ${config.User}`);
demand(config.Healthcheck?.Test?.[0] === 'CMD', 'the image has no health check');

const app = join(folder, 'app');
// The list of contents needs the lock file, which the image does not contain.
copyFileSync(join(root, 'package-lock.json'), join(app, 'package-lock.json'));
const strange = strangeBelow(app);
demand(strange.length === 0, `files that no image needs: ${strange.join(', ')}`);
const others = differences(contentsOf(app), readFileSync(join(root, 'deploy', 'image.txt'), 'utf8'));
rmSync(join(app, 'package-lock.json'));
demand(others.length === 0, others.join('\n'));

/** Runs the image like compose.yaml: with its command, user and environment, a read-only root and no privileges. */
const secret = randomBytes(32).toString('base64');
const settings = [
  ...config.Env,
  `GATEHOUSE_SECRET=${secret}`,
  ...[
    'EMBEDDED_DATABASE=true',
    'DATA_DIR=/app/data',
    'MAIL_TRANSPORT=none',
    'PUBLIC_ORIGIN=http://localhost:8080',
    'PORT=0',
    'NODE_DEBUG_NATIVE=COMPILE_CACHE',
  ],
];
const inside = [
  `mount --bind ${folder} ${folder}`,
  `mount -t proc proc ${folder}/proc`,
  `mount --rbind /dev ${folder}/dev`,
  `mount -t tmpfs tmpfs ${folder}/tmp`,
  `mount -t tmpfs -o uid=1000,gid=1000,mode=700 tmpfs ${folder}/app/data`,
  `mount -o remount,bind,ro ${folder}`,
  'exec "$@"',
].join(' && ');
const [user, group] = config.User.split(':');
const command = [...config.Entrypoint, ...config.Cmd].join(' ');
const drop = [
  'setpriv',
  `--reuid=${user}`,
  `--regid=${group}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
];
const service = spawn(
  'unshare',
  [
    ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', inside, 'sh'],
    ...['chroot', folder, 'env', '-i', ...settings, ...drop, 'sh', '-c', `cd ${config.WorkingDir} && exec ${command}`],
  ],
  { stdio: ['ignore', 'pipe', 'pipe'] },
);
const exited = once(service, 'exit');
/** The first process of the image: tini, which forwards signals. */
const firstProcess = () => {
  const file = `/proc/${service.pid}/task/${service.pid}/children`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) : 0;
};
process.prependListener('exit', () => {
  const pid = firstProcess();
  if (pid > 0) process.kill(pid, 'SIGKILL');
});
let said = '';
service.stderr.on('data', (chunk) => {
  said += chunk;
});
const url = await listening(service);
const origin = url.replace('0.0.0.0', '127.0.0.1');
for (const path of ['/health/ready', '/.well-known/service', '/login', '/guides']) {
  const { status } = await fetch(new URL(path, origin));
  demand(status === 200, `${path} of the image was answered ${status}`);
}
console.log('the image holds what deploy/image.txt says, and serves as its user on a root that cannot be written');
process.kill(firstProcess(), 'SIGTERM');
const [code] = await exited;
demand(code === 0, `the image ended with ${code}: ${said}`);
demand(isPrecompiled(said), `what the image keeps compiled was not used:\n${said}`);
