import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addressIsIn } from '../../core/address.js';
import type { Config } from '../../core/config/config.js';
import { listSetSettings } from '../../core/config/printed.js';
import type { Env, Setting } from '../../core/config/reader.js';
import { ConfigurationError, StartError } from '../../core/config/start-error.js';
import { toStartError } from '../../core/to-start-error.js';
import { allSettings, loadConfig } from '../../features.js';
import { disabledLimits } from '../../pipeline/disabled-limits.js';
import { assertCompatible, type Extension, settingsOf } from '../../policy/extension.js';
import type { Terminal } from '../terminal/command.js';
import { checkDatabase } from './database-checks.js';
import { checkDirectoryPrivacy } from './directory-checks.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { checkHealth } from './health-checks.js';

/** Runs all checks. If the configuration is invalid, later checks are skipped. */
export async function runChecks(terminal: Terminal): Promise<Finding[]> {
  const { env, embeddedDatabase, extension = {} } = terminal;
  const all = allSettings(settingsOf(extension));
  const config = loadConfigOrFaults(env, extension);
  if (Array.isArray(config)) return [...runtime(), ...config];
  const findings = [
    ...runtime(),
    ok('configuration', `${config.nodeEnv}, every setting is valid`),
    ...listSetSettings(all, env).map((line) => ok('setting', line)),
    ...unknownSettings(env, all),
    ...secrets(env, config),
    ...addresses(config),
    ...administration(env, config),
    ...switches(config),
    ...(await mail(config)),
    ...(await sharedStore(config)),
    ...(await objectStore(config)),
    ...directories(config),
    ...checkDirectoryPrivacy(config),
    ...(await checkDatabase(config, extension, embeddedDatabase)),
  ];
  const hasFault = findings.some(({ state }) => state === 'fault');
  return hasFault ? findings : [...findings, ...(await checkHealth(config, terminal))];
}

function runtime(): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? [ok('Node.js', process.versions.node)]
    : [fault('Node.js', `${process.versions.node} is too old`, 'Install 20.19 or newer')];
}

/** The configuration or its errors. Checking must not create a missing development secret. */
function loadConfigOrFaults(env: Env, extension: Extension): Config | Finding[] {
  try {
    const isMade = existsSync(join(resolve(env.DATA_DIR?.trim() || './data'), 'secret'));
    const isThere = env.GATEHOUSE_SECRET?.trim() || env.NODE_ENV === 'production' || isMade;
    assertCompatible(extension);
    return loadConfig({ ...env, ...(isThere ? {} : throwaway()) }, settingsOf(extension));
  } catch (error) {
    const known = toStartError(error);
    if (!(known instanceof ConfigurationError)) {
      if (known instanceof StartError) return [fault('configuration', known.message, 'Mend it, then look again')];
      throw error;
    }
    return known.faults.map((line) => fault('configuration', line, 'See .env.example'));
  }
}

const throwaway = () => ({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') });

/** First words of settings with which variables of other programs also begin. */
const WORDS_OF_OTHERS: ReadonlySet<string> = new Set(['NODE', 'OTEL', 'HTTP']);

const firstWord = (name: string): string => name.slice(0, Math.max(0, name.indexOf('_')));

/** A misspelled setting would silently use its default. */
function unknownSettings(env: Env, all: readonly Setting[]): Finding[] {
  const known = new Set(all.map(({ name }) => name));
  const words = new Set([...known].map(firstWord).filter((word) => word !== '' && !WORDS_OF_OTHERS.has(word)));
  const unknown = Object.keys(env).filter((name) => words.has(firstWord(name)) && !known.has(name));
  return unknown.map((name) => warning('configuration', `${name} is no setting`, 'Remove it, or correct its spelling'));
}

function secrets(env: Env, config: Config): Finding[] {
  const findings: Finding[] = [];
  const path = join(config.dataDir, 'secret');
  if (env.GATEHOUSE_SECRET?.trim()) findings.push(ok('secret', 'GATEHOUSE_SECRET is set and strong'));
  else if (!existsSync(path)) findings.push(ok('secret', `the first start will make one in ${path}`));
  else if (statSync(path).mode & 0o077) {
    findings.push(fault('secret', `${path} can be read by other users`, `Run: chmod 600 ${path}`));
  } else findings.push(ok('secret', `generated, in ${path}`));
  if (config.secretPrevious) {
    const mend = 'Remove GATEHOUSE_SECRET_PREVIOUS once `keys rotate` has run and sessions of old proofs are over';
    findings.push(warning('secret', 'a rotation is under way', mend));
  }
  return findings;
}

function addresses({ publicOrigin, production, trustedProxies, host }: Config): Finding[] {
  const { protocol, hostname } = new URL(publicOrigin);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const findings: Finding[] = [];
  if (production && (protocol !== 'https:' || isLocal)) {
    findings.push(
      fault('PUBLIC_ORIGIN', `${publicOrigin} is no public address`, 'Set the https origin that people use'),
    );
  } else findings.push(ok('PUBLIC_ORIGIN', publicOrigin));
  if (protocol === 'https:' && trustedProxies.length === 0) {
    const mend = 'Behind a proxy, list its addresses in TRUSTED_PROXIES: else all clients share its address';
    findings.push(warning('TRUSTED_PROXIES', 'empty', mend));
  }
  if (host !== '127.0.0.1' && host !== '::1' && protocol === 'http:') {
    findings.push(warning('HOST', `${host} serves plain HTTP to the network`, 'Put TLS in front'));
  }
  return findings;
}

/** The IP addresses of the operator: the remote end of the SSH connection, or this machine. */
function operatorAddresses(env: Env): string[] {
  const [remote] = (env.SSH_CONNECTION ?? env.SSH_CLIENT ?? '').split(' ');
  if (remote) return [remote];
  return Object.values(networkInterfaces()).flatMap((of) => (of ?? []).map(({ address }) => address));
}

function administration(env: Env, { admin: { networks } }: Config): Finding[] {
  if (networks.length === 0) return [];
  const own = operatorAddresses(env);
  if (own.some((address) => addressIsIn(address, networks))) {
    return [ok('ADMIN_ALLOW_NETWORKS', 'administration is there for your address')];
  }
  const mend = 'Add it to ADMIN_ALLOW_NETWORKS, or come from one of those networks';
  return [warning('ADMIN_ALLOW_NETWORKS', `locks your own address out: ${own.join(', ')}`, mend)];
}

function switches(config: Config): Finding[] {
  return disabledLimits(config).map((name) => {
    const mend = `Set ${name}=on: off is for tests`;
    return config.production ? fault('limits', `${name} is off`, mend) : warning('limits', `${name} is off`, mend);
  });
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'smtp:': 587,
  'smtps:': 465,
  'redis:': 6379,
  'rediss:': 6379,
  'http:': 80,
  'https:': 443,
};
const CONNECT_MS = 3000;

/** Whether a server accepts connections at the host of a URL. Sends nothing. */
function isReachable(url: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0),
    });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => settle(false));
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** The printable part of a URL, without user and password. */
const hostOf = (url: string): string => new URL(url).host;

async function mail({ mailTransport, smtpUrl, mailHttpUrl, mailFrom }: Config): Promise<Finding[]> {
  const url = mailTransport === 'smtp' ? smtpUrl : mailTransport === 'http' ? mailHttpUrl : undefined;
  if (mailTransport === 'none') {
    const detail = 'no transport: addresses count as verified at once, and nobody can recover a password';
    return [warning('mail', detail, 'Set MAIL_TRANSPORT to smtp or http')];
  }
  if (url === undefined) return [ok('mail', `transport ${mailTransport}`)];
  const sender = mailFrom === undefined ? '' : `, sent from ${mailFrom}`;
  if (await isReachable(url)) return [ok('mail', `transport ${mailTransport}, ${hostOf(url)} answers${sender}`)];
  const setting = mailTransport === 'smtp' ? 'SMTP_URL' : 'MAIL_HTTP_URL';
  return [
    fault('mail', `${hostOf(url)} does not answer`, `Check ${setting} and that the server can be reached from here`),
  ];
}

async function sharedStore({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  if (await isReachable(redisUrl)) return [ok('shared store', `${hostOf(redisUrl)} answers`)];
  const detail = `${hostOf(redisUrl)} does not answer: each process counts by itself, and no gateway session starts`;
  return [fault('shared store', detail, 'Check REDIS_URL and that the server can be reached from here')];
}

async function objectStore({ media: { s3 } }: Config): Promise<Finding[]> {
  if (s3?.endpoint === undefined) return [];
  const host = hostOf(s3.endpoint);
  if (await isReachable(s3.endpoint)) return [ok('media storage', `${host} answers`)];
  const mend = 'Check MEDIA_S3_ENDPOINT and that the server can be reached from here';
  return [fault('media storage', `${host} does not answer`, mend)];
}

function directories({ dataDir, databaseUrl, media }: Config): Finding[] {
  const needed = [...(databaseUrl ? [] : [['DATA_DIR', dataDir] as const]), ['MEDIA_LOCAL_ROOT', media.root] as const];
  return needed.map(([name, path]) => {
    let existing = path;
    while (!existsSync(existing)) existing = dirname(existing);
    try {
      accessSync(existing, constants.W_OK | constants.X_OK);
      return statSync(existing).isDirectory() ? ok(name, `${path} can be written`) : notWritable(name, path);
    } catch {
      return notWritable(name, path);
    }
  });
}

const notWritable = (name: string, path: string): Finding =>
  fault(name, `${path} cannot be written`, 'Make it a directory of the user that runs the service');
