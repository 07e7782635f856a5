/**
 * `npm run scan`: runs wapiti (the Debian package), a vulnerability scanner for web applications, against the built
 * service. It scans the pages and, with a session, every GET operation. It runs only modules that need no internet
 * access, for at most `SCAN_SECONDS` (600). Exits with 1 if wapiti finds more than is explained here, or if the service
 * returned a 5xx status.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, stop } from '../bench/lib.mjs';
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const SECONDS = Number(process.env.SCAN_SECONDS ?? 600);
const MODULES = [
  ...['backup', 'blindsql', 'cookieflags', 'crlf', 'csp', 'csrf', 'exec', 'file', 'htaccess', 'http_headers'],
  ...['methods', 'permanentxss', 'redirect', 'shellshock', 'sql', 'xss'],
];
/** Pages that need no session, including the parameters in their links. */
const PAGES = [
  ...['/', '/login', '/register', '/forgot', '/account', '/admin', '/docs'],
  ...['/auth/verify?token=a', '/auth/reset?token=a', '/auth/lockdown?token=a', '/auth/sso/callback?code=a&state=b'],
];
/** Expected reports, by category and text, with the reason. */
const EXPLAINED = [
  ['HTTP Secure Headers', /Strict-Transport-Security/, 'the scanned service has an origin of http'],
  ['HTTP Secure Headers', /X-XSS-Protection/, 'no browser has that filter any more; OWASP advises against the header'],
];

if (spawnSync('wapiti', ['--version']).error) {
  console.error('no wapiti here: apt-get install wapiti');
  process.exit(1);
}
await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-scan-'));
const service = await start(join(import.meta.dirname, '..', 'dist/service/main.cjs'), {
  ...{ NODE_ENV: 'test', LOG_LEVEL: 'error', DATA_DIR: directory, MAX_LOOP_DELAY_MS: '0' },
  // With rate limits and bans, the service would reject most requests of the scanner.
  ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', ABUSE_BANS: 'off' },
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
});
const { url } = service;

/** Registers an account and returns its session token, which is sent with every request. */
async function session() {
  const body = JSON.stringify({ email: 'scan@example.com', password: randomBytes(12).toString('hex') });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/auth/register`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`POST /v1/auth/register answered ${answer.status}`);
  return (await answer.json()).token;
}

/** The path of every GET operation, with a value for each of its parameters. */
async function operations() {
  const { paths, components } = await (await fetch(`${url}/openapi.json`)).json();
  const known = (parameter) => (parameter.$ref ? components.parameters[parameter.$ref.split('/').pop()] : parameter);
  return Object.entries(paths).flatMap(([path, { parameters = [], get }]) => {
    if (!get) return [];
    const query = [...parameters, ...(get.parameters ?? [])].map(known).filter((parameter) => parameter.in === 'query');
    const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example ?? 1)]));
    return `${path.replaceAll(/\{[^}]+\}/g, '1')}${query.length > 0 ? `?${search}` : ''}`;
  });
}

/** The number of responses by class of status, and the number of routes that were reached. */
async function answers() {
  const counts = {};
  const routes = new Set();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const [, labels, count] of metrics.matchAll(/^gatehouse_http_request_seconds_count\{(.*)\} (\d+)$/gm)) {
    const label = (name) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const kind = `${label('status')[0]}xx`;
    counts[kind] = (counts[kind] ?? 0) + Number(count);
    routes.add(label('route'));
  }
  return { counts, routes: routes.size };
}

try {
  for (const page of PAGES) {
    const { status } = await fetch(url + page);
    if (status !== 200) throw new Error(`GET ${page} answered ${status}`);
  }
  const asked = [...PAGES, ...(await operations())];
  const report = join(directory, 'report.json');
  const options = [
    ...['-u', `${url}/`, '--scope', 'domain', ...asked.flatMap((path) => ['-s', url + path])],
    ...['-H', `Authorization: ${await session()}`, '-m', MODULES.join(','), '--max-scan-time', String(SECONDS)],
    ...['-f', 'json', '-o', report, '--flush-session', '--store-session', directory, '--no-bugreport'],
  ];
  const wapiti = spawn('wapiti', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(wapiti, 'close');
  if (status !== 0) throw new Error(`wapiti ended with ${status}`);
  const { vulnerabilities, anomalies } = JSON.parse(readFileSync(report, 'utf8'));
  const { counts, routes } = await answers();
  const said = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${asked.length} addresses to begin with, ${routes} routes reached, answers: ${said.sort().join(', ')}`);
  const found = Object.entries({ ...vulnerabilities, ...anomalies }).flatMap(([category, entries]) =>
    entries.map(({ method, path, info }) => ({ category, method, path, info })),
  );
  const unexplained = found.filter(
    ({ category, info }) => !EXPLAINED.some(([name, words]) => name === category && words.test(info)),
  );
  console.log(`${found.length} reports, ${unexplained.length} of them not explained`);
  for (const { category, method, path, info } of unexplained) console.log(`${category}: ${method} ${path}: ${info}`);
  if (unexplained.length > 0 || counts['5xx']) process.exitCode = 1;
} finally {
  await stop(service);
  rmSync(directory, { recursive: true, force: true });
}
