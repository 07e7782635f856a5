import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addressIsIn } from '../../core/address.js';
import type { Config } from '../../core/config/config.js';
import { listSetSettings } from '../../core/config/printed.js';
import type { Env, Setting } from '../../core/config/reader.js';
import { withSecretFiles } from '../../core/config/secret-files.js';
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
import { checkRestore } from './restore-checks.js';

/** Runs all checks. If the configuration is invalid, later checks are skipped. */
export async function runChecks(terminal: Terminal): Promise<Finding[]> {
  const { embeddedDatabase, extension = {} } = terminal;
  const all = allSettings(settingsOf(extension));
  const env = orFaults(() => withSecretFiles(terminal.env, all));
  if (Array.isArray(env)) return [runtime(), ...env];
  const config = orFaults(() => loadWithoutSecret(env, extension));
  if (Array.isArray(config)) return [runtime(), ...config];
  const findings = [
    runtime(),
    ok('configuration', `${config.nodeEnv}, every setting is valid`),
    ...listSetSettings(all, env).map((line) => ok('setting', line)),
    ...unknownSettings(env, all),
    ...secrets(env, config),
    ...addresses(config),
    ...administration(env, config),
    ...switches(config),
    ...mail(config),
    ...directories(config),
    ...checkDirectoryPrivacy(config),
    ...(await checkRestore(config)),
    ...(await checkDatabase(config, extension, embeddedDatabase)),
  ];
  const hasFault = findings.some(({ state }) => state === 'fault');
  return hasFault ? findings : [...findings, ...(await checkHealth(config, { ...terminal, env }))];
}

const runtime = (): Finding => ok('Node.js', process.versions.node);

/** The configuration. Checking must not create a missing development secret. */
function loadWithoutSecret(env: Env, extension: Extension): Config {
  const isMade = existsSync(join(resolve(env.DATA_DIR?.trim() || './data'), 'secret'));
  const isThere = env.GATEHOUSE_SECRET?.trim() || env.NODE_ENV === 'production' || isMade;
  assertCompatible(extension);
  return loadConfig({ ...env, ...(isThere ? {} : throwaway()) }, settingsOf(extension));
}

/** What `read` returns, or the errors of the settings. */
function orFaults<T>(read: () => T): T | Finding[] {
  try {
    return read();
  } catch (error) {
    const known = toStartError(error);
    if (!(known instanceof ConfigurationError)) {
      if (known instanceof StartError)
        return [fault('configuration', known.message, 'Fix the error, then run this command again')];
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
  return unknown.map((name) => warning('configuration', `Unknown setting ${name}`, 'Remove it, or correct its name'));
}

function secrets(env: Env, config: Config): Finding[] {
  const findings: Finding[] = [];
  const path = join(config.dataDir, 'secret');
  if (env.GATEHOUSE_SECRET?.trim()) findings.push(ok('secret', 'GATEHOUSE_SECRET is set and strong'));
  else if (!existsSync(path)) findings.push(ok('secret', `the first start creates one in ${path}`));
  else if (statSync(path).mode & 0o077) {
    findings.push(fault('secret', `other users can read ${path}`, `Run: chmod 600 ${path}`));
  } else findings.push(ok('secret', `generated, in ${path}`));
  if (config.secretNext) {
    const fix =
      'When every replica has it, rename it to GATEHOUSE_SECRET, and the current one to GATEHOUSE_SECRET_PREVIOUS';
    findings.push(warning('secret', 'a rotation is prepared: GATEHOUSE_SECRET_NEXT is accepted', fix));
  }
  if (config.secretPrevious) {
    const fix = 'Run `keys rotate --secrets`, and remove GATEHOUSE_SECRET_PREVIOUS an hour later';
    findings.push(warning('secret', 'a rotation is in progress', fix));
  }
  return findings;
}

function addresses({ publicOrigin, production, trustedProxies, host }: Config): Finding[] {
  const { protocol, hostname } = new URL(publicOrigin);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const findings: Finding[] = [];
  if (production && (protocol !== 'https:' || isLocal)) {
    findings.push(
      fault(
        'PUBLIC_ORIGIN',
        `${publicOrigin} is not a public HTTPS origin`,
        'Set it to the https origin that users open',
      ),
    );
  } else findings.push(ok('PUBLIC_ORIGIN', publicOrigin));
  if (protocol === 'https:' && trustedProxies.length === 0) {
    const fix = 'If there is a reverse proxy, add its IP addresses. Otherwise all clients share one IP address';
    findings.push(warning('TRUSTED_PROXIES', 'empty', fix));
  }
  if (host !== '127.0.0.1' && host !== '::1' && protocol === 'http:') {
    findings.push(warning('HOST', `${host} serves plain HTTP to the network`, 'Terminate TLS in a reverse proxy'));
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
    return [ok('ADMIN_ALLOW_NETWORKS', 'your IP address can use the administration')];
  }
  const fix = 'Add your IP address, or connect from one of these networks';
  return [warning('ADMIN_ALLOW_NETWORKS', `does not contain your IP address: ${own.join(', ')}`, fix)];
}

function switches(config: Config): Finding[] {
  return disabledLimits(config).map((name) => {
    const fix = `Set ${name}=on. Use off only in tests`;
    return config.production ? fault('limits', `${name} is off`, fix) : warning('limits', `${name} is off`, fix);
  });
}

function mail({ mailTransport }: Config): Finding[] {
  if (mailTransport === 'smtp' || mailTransport === 'http') return [];
  if (mailTransport !== 'none') return [ok('mail', `transport ${mailTransport}`)];
  const detail = 'no transport: email addresses are verified without a check, and users cannot reset passwords';
  return [warning('mail', detail, 'Set MAIL_TRANSPORT to smtp or http')];
}

function directories({ dataDir, databaseUrl, media }: Config): Finding[] {
  const needed = [...(databaseUrl ? [] : [['DATA_DIR', dataDir] as const]), ['MEDIA_LOCAL_ROOT', media.root] as const];
  return needed.map(([name, path]) => {
    let existing = path;
    while (!existsSync(existing)) existing = dirname(existing);
    try {
      accessSync(existing, constants.W_OK | constants.X_OK);
      return statSync(existing).isDirectory() ? ok(name, `${path} is writable`) : notWritable(name, path);
    } catch {
      return notWritable(name, path);
    }
  });
}

const notWritable = (name: string, path: string): Finding =>
  fault(name, `${path} is not writable`, 'Use a directory that the user of the service owns');
