import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

/** A user in the data of a release, with a session from that time. */
export interface Kept {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** The secret of the user's authenticator app, if there is one. */
  readonly totp?: string;
  readonly session: string;
}

/** A release as stored in the fixtures: its database with data, and the statements that it sends. */
export interface Release {
  readonly version: string;
  /** The `GATEHOUSE_SECRET` that encrypts its stored secrets. */
  readonly secret: string;
  readonly people: readonly Kept[];
  /** SQL that creates its schema and rows. */
  readonly sql: string;
  /** Statements of the release, with parameter placeholders. */
  readonly statements: readonly string[];
}

const fileOf = (version: string): string => join(FIXTURES, `schema-${version}.sql`);
const statementsOf = (version: string): string => join(FIXTURES, `statements-${version}.jsonl`);
const HEAD = '-- ';

/** All releases in the fixtures, oldest first. */
export function releases(): Release[] {
  const versions = readdirSync(FIXTURES).flatMap((name) => /^schema-(.+)\.sql$/.exec(name)?.[1] ?? []);
  return versions.sort(semver.compare).map((version) => {
    const [head = '', ...lines] = readFileSync(fileOf(version), 'utf8').split('\n');
    const statements = existsSync(statementsOf(version)) ? readFileSync(statementsOf(version), 'utf8') : '';
    return {
      version,
      ...JSON.parse(head.slice(HEAD.length)),
      sql: lines.join('\n'),
      statements: statements
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    };
  });
}

/**
 * Stores the database of a server as the fixture of a release. Comments and session settings of `pg_dump` are removed.
 */
export function keepRelease(databaseUrl: string, release: Omit<Release, 'sql'>): void {
  const { version, secret, people, statements } = release;
  const args = ['--no-owner', '--no-privileges', '--no-comments', '--inserts', databaseUrl];
  const dump = execFileSync('pg_dump', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const sql = dump
    .replaceAll(/^(?:--.*|SET .*|\\.*|SELECT pg_catalog\.set_config.*)\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
  writeFileSync(fileOf(version), `${HEAD}${JSON.stringify({ secret, people })}\n${sql.trim()}\n`);
  writeFileSync(statementsOf(version), statements.map((text) => `${JSON.stringify(text)}\n`).join(''));
}
