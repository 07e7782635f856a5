/**
 * Lints, builds, tests, migrates and starts `examples/notes` with the packed packages, like an extension project
 * outside this repository.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { importFrom } from './packages.mjs';
import { install, pack } from './packed.mjs';
import { listening } from './starting.mjs';

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'gatehouse-example-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const project = join(place, 'notes');

function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

let began = performance.now();
function done(what) {
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  began = performance.now();
}

// Of the environment of this checkout, keep only the paths of programs and the database.
const { PATH, HOME, TEST_DATABASE_URL } = process.env;
const env = { PATH, HOME, ...(TEST_DATABASE_URL && { TEST_DATABASE_URL }) };

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: project, env, stdio: ['ignore', 'inherit', 'inherit'] });
  demand(status === 0, `${command} ${args.join(' ')} ended with ${status}`);
  done(`${command} ${args.join(' ')}`);
}

/** The code snippets of the testing guide, in order, as a test file like those of the project. */
function guide() {
  const text = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const code = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, snippet]) => snippet).join('\n');
  const isImport = (line) => line.startsWith('import ');
  const lines = code.split('\n');
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))].join('\n');
}

await build({ types: true });
const left = ['node_modules', 'dist', 'data'];
cpSync(join(root, 'examples/notes'), project, {
  recursive: true,
  filter: (path) => !left.some((name) => path.endsWith(`/${name}`)),
});
const packed = pack(place);
install(project, packed);
const sizes = Object.entries(packed).map(([name, { size }]) => `${name} ${(size / 1024 / 1024).toFixed(2)} MiB`);
done(`packed (${sizes.join(', ')}) and installed`);

run('npm', 'run', '--silent', 'lint');
writeFileSync(join(project, 'test/guide.e2e-spec.ts'), guide());
for (const script of ['types', 'build', 'test']) run('npm', 'run', '--silent', script);

const routes = spawnSync('npm', ['run', '--silent', 'cli', '--', 'routes'], { cwd: project, env, encoding: 'utf8' });
demand(
  routes.stdout.includes('\nGET /v1/notes @Authenticated()'),
  `no route of the team:\n${routes.stdout}${routes.stderr}`,
);
done('npm run cli -- routes');

const PORT = String(20_000 + (process.pid % 10_000));
const origin = `http://localhost:${PORT}`;
const service = spawn('node', ['-r', '@gatehouse-auth/server/threads', 'dist/src/main.js'], {
  cwd: project,
  env: {
    ...env,
    PORT,
    PUBLIC_ORIGIN: origin,
    DATA_DIR: join(place, 'data'),
    LOG_LEVEL: 'warn',
    MAX_LOOP_DELAY_MS: '0',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => service.kill('SIGKILL'));
let out = '';
service.stdout.on('data', (chunk) => {
  out += chunk;
});
const ended = once(service, 'close');
await listening(service);
done('started');

async function ask(status, path, { body, token } = {}) {
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: token }) };
  const answer = await fetch(`${origin}${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  demand(answer.status === status, `${path} answered ${answer.status}: ${text}`);
  return text;
}

await ask(401, '/v1/notes');
const person = { email: 'ada@example.com', password: 'a long enough password' };
const { token } = JSON.parse(await ask(200, '/v1/auth/register', { body: person }));
await ask(201, '/v1/notes', { token, body: { text: 'by the API' } });
done('asked');

/**
 * Signs in on the page of the service, checks for the first note, writes a second one and receives a third one live.
 */
async function visit(executablePath) {
  const { chromium } = await importFrom('test', 'playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    // Console messages may be lost when the page navigates, so failed responses are also collected here.
    page.on('response', (answer) => answer.status() >= 400 && faults.push(`${answer.status()} ${answer.url()}`));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${origin}/notes`);
    await page.waitForURL(`${origin}/login?return_to=/notes`);
    await page.fill('[name=email]', person.email);
    await page.fill('[name=password]', person.password);
    await page.keyboard.press('Enter');
    await page.getByText('by the API', { exact: true }).waitFor();
    await page.fill('#text', 'by the page');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('by the page', { exact: true }).waitFor();
    await ask(201, '/v1/notes', { token, body: { text: 'live' } });
    await page.getByText('live', { exact: true }).waitFor();
    demand(faults.length === 0, `the page did what it should not:\n${faults.join('\n')}`);
  } finally {
    await browser.close();
  }
}

const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const found = browsers.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
if (found) await visit(found);
done(found ? 'the page in a browser' : 'no Chromium here: the page was not opened');

service.kill('SIGTERM');
const [code] = await ended;
demand(code === 0, `the service ended badly:\n${out}`);
done('stopped');
