import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

/** Somebody in the data of a release, as he signed in then. */
export interface Kept {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** The secret of his authenticator app, if he has one. */
  readonly totp?: string;
  readonly session: string;
}

/** A release as it is kept: its database with data in it, and what it says to a database. */
export interface Release {
  readonly version: string;
  /** The `GATEHOUSE_SECRET` under which its secrets are stored. */
  readonly secret: string;
  readonly people: readonly Kept[];
  /** What makes its schema, with its rows. */
  readonly sql: string;
  /** Statements that it sends, with parameters. */
  readonly statements: readonly string[];
}

const fileOf = (version: string): string => join(FIXTURES, `schema-${version}.sql`);
const statementsOf = (version: string): string => join(FIXTURES, `statements-${version}.jsonl`);
const HEAD = '-- ';

/** Everything that is kept, the oldest first. */
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

/** Keeps the database of a server as that of a release; what `pg_dump` tells a server of itself stays out. */
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
