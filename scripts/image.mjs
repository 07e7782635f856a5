/**
 * The stages of the Dockerfile in a temporary root, for machines without a container engine: the production install has
 * nothing of development, refuses the defaults of development, and starts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');
const image = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
const data = mkdtempSync(join(tmpdir(), 'gatehouse-image-data-'));
process.on('exit', () => {
  for (const directory of [image, data]) rmSync(directory, { recursive: true, force: true });
});

build();
for (const name of ['package.json', 'package-lock.json', 'dist']) {
  cpSync(join(root, name), join(image, name), { recursive: true });
}
const npm = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
if (spawnSync('npm', npm, { cwd: image, stdio: 'inherit' }).status !== 0) throw new Error('npm ci failed');
// As in the Dockerfile: npm keeps it as somebody's optional peer.
rmSync(join(image, 'node_modules', 'typescript'), { recursive: true, force: true });
const { packages } = JSON.parse(readFileSync(join(image, 'package-lock.json'), 'utf8'));
const isInstalled = (path) => existsSync(join(image, path));
const missing = Object.keys(packages[''].dependencies).filter((name) => !isInstalled(`node_modules/${name}`));
const stray = Object.keys(packages).filter(
  (path) => (packages[path].dev || packages[path].devOptional) && isInstalled(path),
);
if (missing.length > 0 || stray.length > 0) throw new Error(`missing: ${missing}; of development: ${stray}`);

const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 89 + 41) % 256)).toString('base64');

/** The command of the image with this environment and no other. */
function run(env) {
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: image,
    env: { NODE_ENV: 'production', PORT: '0', DATA_DIR: data, ...env },
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
if ((await bare.exited) !== 1) throw new Error('production started on the defaults of development');
for (const name of ['GATEHOUSE_SECRET', 'DATABASE_URL']) {
  if (!bare.err.includes(name)) throw new Error(`${name} was not asked for:\n${bare.err}`);
}

const settings = { GATEHOUSE_SECRET: secret, PUBLIC_ORIGIN: 'https://id.example', MAIL_TRANSPORT: 'none' };
const asked = run({ ...settings, EMBEDDED_DATABASE: 'true' });
while (!/^Database .+\n/m.test(asked.out)) {
  const ended = await Promise.race([asked.exited.then(() => true), once(asked.child.stdout, 'data')]);
  if (ended === true) throw new Error(`production did not start:\n${asked.err}`);
}
const url = /^Listening +(http:\S+)$/m.exec(asked.out)[1];
const { status } = await fetch(`${url}/health/ready`);
if (status !== 200) throw new Error(`readiness answered ${status}`);
if ((await fetch(`${url}/dev/inbox`)).status !== 404) throw new Error('production shows an inbox');
asked.child.kill('SIGTERM');
if ((await asked.exited) !== 0) throw new Error(`the service ended badly:\n${asked.err}`);
console.log('the production install has no dev dependencies, refuses development defaults and starts');
