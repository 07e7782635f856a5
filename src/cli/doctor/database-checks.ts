import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../../core/command-line.js';
import type { Config } from '../../core/config/config.js';
import { Keyring } from '../../core/secrets.js';
import { databaseSchema, featureRegistry } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import type { EmbeddedEngine } from '../../platform/database/engine.js';
import { firstOf, laterPrivileges, tablesOf } from '../../platform/dependencies/privileges.js';
import { checkDecryption } from '../../platform/keys/encrypted-columns.js';
import type { Extension } from '../../policy/extension.js';
import { checkDependencies } from './dependency-checks.js';
import { type Finding, fault, ok, warning } from './finding.js';

/** The SQLSTATE of a missing privilege. */
const DENIED = '42501';

/** Checks whether the database responds, and is recent and migrated. Then tests all dependencies, also if it does not respond. */
export async function checkDatabase(config: Config, extension: Extension, lent?: EmbeddedEngine): Promise<Finding[]> {
  if (!config.databaseUrl && !lent && !existsSync(join(config.dataDir, 'database'))) {
    return [
      ok('database', `the first start creates an embedded database in ${config.dataDir}`),
      ...(await checkDependencies(config, extension)),
    ];
  }
  let opened: Database | undefined;
  try {
    opened = await Database.open(config, databaseSchema(extension), lent);
    return [
      ...(await version(opened)),
      ...(await migrations(opened, config, extension)),
      ...(await unlessDenied(administrator(opened))),
      ...(await unlessDenied(checkStoredSecrets(opened, config, extension))),
      ...(await checkDependencies(config, extension, opened)),
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : 'no answer';
    const fix = config.databaseUrl
      ? 'Check DATABASE_URL, and that the server runs and accepts this user'
      : 'Only one process can use the embedded database. Stop the service, then run this command again';
    const others = opened ? [] : await checkDependencies(config, extension);
    return [fault('database', String(reason), fix), ...others];
  } finally {
    await opened?.close();
  }
}

async function version(opened: Database): Promise<Finding[]> {
  if (opened.isEmbedded) return [ok('database', 'embedded, for evaluation and development')];
  const [row] = await opened.manager.query<[{ version: number }]>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  return [ok('database', `PostgreSQL ${Math.floor(row.version / 10_000)}`)];
}

/** The findings, or none if the role lacks a privilege, which the check of the privileges reports. */
function unlessDenied(findings: Promise<Finding[]>): Promise<Finding[]> {
  return findings.catch((error: { code?: string }) => (error.code === DENIED ? [] : Promise.reject(error)));
}

async function migrations(opened: Database, config: Config, extension: Extension): Promise<Finding[]> {
  // Without this privilege, all migrations would seem to be pending.
  const [row] = await opened.manager.query<[{ denied: boolean | null }]>(
    "SELECT NOT has_table_privilege(to_regclass('migration'), 'SELECT') AS denied",
  );
  if (row.denied) return [];
  const states = await Promise.all(opened.migrations.map((list) => list.state()));
  const [pending, unknown] = [states.flatMap((state) => state.pending), states.flatMap((state) => state.unknown)];
  const newer = unknown.map((name) =>
    warning(
      'migrations',
      `${name} is applied, but unknown to this version`,
      'A newer version migrated the database. Run that version',
    ),
  );
  if (pending.length === 0) return [...(await missingTables(opened, config, extension)), ...newer];
  const detail = `pending: ${pending.join(', ')}`;
  const breaking = opened.migrations.flatMap((list) => [...list.breaking]).filter(([name]) => pending.includes(name));
  const oneWay = ((await hasSchema(opened)) ? breaking : []).map(([name, reason]) =>
    warning(
      'migrations',
      `after ${name}, the previous version cannot run: ${reason}`,
      'Stop all replicas of the previous version first. To roll back, restore a backup',
    ),
  );
  const run = `\`${commandLine('migrate')}\``;
  const others = [...oneWay, ...newer, ...(await laterPrivilegesOf(opened, config, extension))];
  return config.migrateOnStart
    ? [warning('migrations', detail, `The next start applies them. Or run ${run}`), ...others]
    : [fault('migrations', detail, `Run ${run}`), ...others];
}

/** A table that a feature declares, but that no migration creates. */
async function missingTables(opened: Database, config: Config, extension: Extension): Promise<Finding[]> {
  const tables = [...featureRegistry(extension, config).erasure.keys()];
  const select = 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NULL';
  const missing = await opened.manager.query<{ name: string }[]>(select, [tables]);
  if (missing.length === 0) return [ok('migrations', 'the schema is up to date')];
  const names = missing.map(({ name }) => name).join(', ');
  const fix = 'Write a migration that creates them, and list it in migrations of the feature';
  return [fault('migrations', `no migration creates these tables: ${names}`, fix)];
}

/** New tables belong to the role that migrates. If the service has another role, it needs privileges on them. */
async function laterPrivilegesOf(opened: Database, config: Config, extension: Extension): Promise<Finding[]> {
  if (opened.isEmbedded || !(await hasSchema(opened))) return [];
  const tables = [...featureRegistry(extension, config).erasure.keys()];
  const ask = <R>(text: string, values?: unknown[]) => opened.manager.query<R[]>(text, values);
  const { missing, grants, owner, inAdvance } = await laterPrivileges(ask, tablesOf({ tables, database: opened }));
  if (missing.length === 0) return [];
  const fix = `After \`${commandLine('migrate')}\`, run as ${owner}: ${grants.join('; ')}. To grant all future tables in advance, run: ${inAdvance}`;
  return [warning('database-privileges', `after the migrations, the role lacks: ${firstOf(missing)}`, fix)];
}

/** A strong secret can still be the wrong one. Decrypting stored data shows it. */
async function checkStoredSecrets(opened: Database, config: Config, extension: Extension): Promise<Finding[]> {
  const { encryptedColumns } = featureRegistry(extension);
  const states = (await hasSchema(opened))
    ? await checkDecryption(opened.manager, new Keyring(config), encryptedColumns)
    : [];
  return states.map(({ name, tried, opened: count }) => {
    if (count === tried) return ok('secret', `decrypts stored secrets: ${name}`);
    const fix =
      'Set GATEHOUSE_SECRET or GATEHOUSE_SECRET_PREVIOUS to the secret that encrypted them. See docs/guides/operators/key-rotation.md';
    return count === 0
      ? fault('secret', `cannot decrypt stored secrets: ${name}`, fix)
      : warning('secret', `decrypts only ${count} of ${tried} stored secrets: ${name}`, fix);
  });
}

async function hasSchema(opened: Database): Promise<boolean> {
  const [row] = await opened.manager.query<[{ account: string | null }]>("SELECT to_regclass('account') AS account");
  return row.account !== null;
}

async function administrator(opened: Database): Promise<Finding[]> {
  if (!(await hasSchema(opened))) return [];
  const rows = await opened.manager.query<unknown[]>("SELECT 1 FROM account WHERE acls @> ARRAY['*'] LIMIT 1");
  if (rows.length > 0) return [ok('administrator', 'at least one account has the ACL *')];
  const fix = `Redeem the setup token, or run \`${commandLine("user grant-acl <email> '*'")}\``;
  return [warning('administrator', 'no account has the ACL *', fix)];
}
