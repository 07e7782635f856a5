import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Clock } from '../../core/clock.js';
import { commandLine } from '../../core/command-line.js';
import type { Config } from '../../core/config/config.js';
import { Keyring } from '../../core/secrets.js';
import { databaseSchema, featureRegistry } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import type { EmbeddedEngine } from '../../platform/database/engine.js';
import { checkDecryption } from '../../platform/keys/encrypted-columns.js';
import type { Extension } from '../../policy/extension.js';
import { type Finding, fault, ok, warning } from './finding.js';

const SKEW_SECONDS = 2;
const OLDEST_POSTGRES = 150_000;

/** Checks whether the database responds, is recent and migrated, and whether its clock agrees with this machine. */
export async function checkDatabase(config: Config, extension: Extension, lent?: EmbeddedEngine): Promise<Finding[]> {
  if (!config.databaseUrl && !lent && !existsSync(join(config.dataDir, 'database'))) {
    return [ok('database', `the first start will make an embedded one in ${config.dataDir}`)];
  }
  let opened: Database | undefined;
  try {
    opened = await Database.open(config, databaseSchema(extension), lent);
    return [
      ...(await version(opened)),
      await clock(opened),
      ...(await migrations(opened, config)),
      ...(await administrator(opened)),
      ...(await checkStoredSecrets(opened, config, extension)),
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : 'no answer';
    const mend = config.databaseUrl
      ? 'Check DATABASE_URL and that the server runs and admits this user'
      : 'The embedded database serves one process: stop the service, then look again';
    return [fault('database', String(reason), mend)];
  } finally {
    await opened?.close();
  }
}

async function version(opened: Database): Promise<Finding[]> {
  if (opened.isEmbedded) return [ok('database', 'embedded, for trial and development')];
  const [row] = await opened.manager.query<[{ version: number }]>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  const release = `PostgreSQL ${Math.floor(row.version / 10_000)}`;
  return row.version >= OLDEST_POSTGRES
    ? [ok('database', release)]
    : [fault('database', `${release} is too old`, 'Use PostgreSQL 15 or newer')];
}

async function clock(opened: Database): Promise<Finding> {
  const here = new Clock();
  const before = here.now();
  const [row] = await opened.manager.query<[{ now: string }]>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now',
  );
  const skew = Math.abs(Number(row.now) - (before + here.now()) / 2) / 1000;
  return skew <= SKEW_SECONDS
    ? ok('clock', 'agrees with the database')
    : fault('clock', `${skew.toFixed(1)} s away from the database's`, 'Synchronise both machines by NTP');
}

async function migrations(opened: Database, { migrateOnStart }: Config): Promise<Finding[]> {
  const states = await Promise.all(opened.migrations.map((list) => list.state()));
  const [pending, unknown] = [states.flatMap((state) => state.pending), states.flatMap((state) => state.unknown)];
  const newer = unknown.map((name) =>
    warning('migrations', `${name} is applied and not known here`, 'A newer version was at work: run that one'),
  );
  if (pending.length === 0) return [ok('migrations', 'the schema is current'), ...newer];
  const detail = `pending: ${pending.join(', ')}`;
  const breaking = opened.migrations.flatMap((list) => [...list.breaking]).filter(([name]) => pending.includes(name));
  const oneWay = ((await hasSchema(opened)) ? breaking : []).map(([name, reason]) =>
    warning(
      'migrations',
      `after ${name} the version before cannot run: ${reason}`,
      'Stop every replica of it first; the way back is the backup',
    ),
  );
  const run = `\`${commandLine('migrate')}\``;
  return migrateOnStart
    ? [warning('migrations', detail, `The next start applies them; or run ${run}`), ...oneWay, ...newer]
    : [fault('migrations', detail, `Run ${run}`), ...oneWay, ...newer];
}

/** A strong secret can still be the wrong one. Decrypting stored data shows it. */
async function checkStoredSecrets(opened: Database, config: Config, extension: Extension): Promise<Finding[]> {
  const { encryptedColumns } = featureRegistry(extension);
  const states = (await hasSchema(opened))
    ? await checkDecryption(opened.manager, new Keyring(config), encryptedColumns)
    : [];
  return states.map(({ name, tried, opened: count }) => {
    if (count === tried) return ok('secret', `opens what is stored: ${name}`);
    const mend =
      'Set GATEHOUSE_SECRET, or GATEHOUSE_SECRET_PREVIOUS, to the secret under which it was stored; see docs/operating.md';
    return count === 0
      ? fault('secret', `does not open what is stored: ${name}`, mend)
      : warning('secret', `opens only ${count} of ${tried}: ${name}`, mend);
  });
}

async function hasSchema(opened: Database): Promise<boolean> {
  const [row] = await opened.manager.query<[{ account: string | null }]>("SELECT to_regclass('account') AS account");
  return row.account !== null;
}

async function administrator(opened: Database): Promise<Finding[]> {
  if (!(await hasSchema(opened))) return [];
  const rows = await opened.manager.query<unknown[]>("SELECT 1 FROM account WHERE acls @> ARRAY['*'] LIMIT 1");
  if (rows.length > 0) return [ok('administrator', 'at least one account holds the wildcard ACL')];
  const mend = `Redeem the setup token, or run \`${commandLine("user grant-acl <email> '*'")}\``;
  return [warning('administrator', 'no account holds the wildcard ACL', mend)];
}
