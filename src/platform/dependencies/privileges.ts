import type { RunQuery, TestTools } from './dependency.js';

const NAMES_SHOWN = 3;

/** Tables that only get new rows, so that the role needs no other privilege. */
const APPEND_ONLY = ['audit_log'];
/** Tables that only migrations write to. */
const OF_MIGRATIONS = ['migration', 'team_migration'];

/** The privileges that the service needs on each table of `$1`: `name`, `privilege` and its `place` in a list. */
const REQUIRED_PRIVILEGES = `
  needed AS (
    SELECT name, privilege, place FROM unnest($1::text[]) AS name
    CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS p (privilege, place)
    WHERE place <= CASE WHEN name = ANY ($3) THEN 1 WHEN name = ANY ($2) THEN 2 ELSE 4 END)`;

const MISSING_NOW = `
  WITH ${REQUIRED_PRIVILEGES}
  SELECT quote_ident(name) AS object, array_agg(privilege ORDER BY place) AS privileges
  FROM needed JOIN pg_class c ON c.relname = name AND c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)
  WHERE NOT has_table_privilege(c.oid, privilege) GROUP BY name
  UNION ALL SELECT quote_ident(s.relname), ARRAY['USAGE'] FROM pg_depend d
    JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid
  -- An identity column (deptype i) needs no privilege on its sequence.
  WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'a' AND pg_table_is_visible(t.oid) AND t.relname = ANY ($1)
    AND NOT t.relname = ANY ($3) AND CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') END
  ORDER BY 1`;

/** New tables belong to the role that migrates, which is the owner of the table that records migrations. */
const OWNER = "(SELECT relowner FROM pg_class WHERE oid = to_regclass('migration'))";

const MISSING_LATER = `
  WITH ${REQUIRED_PRIVILEGES},
  given AS (
    SELECT privilege_type FROM pg_default_acl d CROSS JOIN aclexplode(d.defaclacl) AS a
    WHERE d.defaclobjtype = 'r' AND d.defaclrole = ${OWNER}
      AND d.defaclnamespace IN (0, current_schema()::regnamespace)
      AND (a.grantee = 0 OR pg_has_role(a.grantee, 'USAGE')))
  SELECT quote_ident(name) AS object, array_agg(privilege ORDER BY place) AS privileges FROM needed
  WHERE to_regclass(quote_ident(name)) IS NULL AND NOT pg_has_role(${OWNER}, 'USAGE')
    AND privilege NOT IN (SELECT privilege_type FROM given) GROUP BY name ORDER BY 1`;

const NAMES = `
  SELECT quote_ident(current_user) AS role, quote_ident(current_schema()) AS schema,
    quote_ident(pg_get_userbyid(${OWNER})) AS owner`;

/** A list of names that fits into a line. */
export function firstOf(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).join(', ') + more;
}

/** All tables of this version, with those that record migrations. */
export const tablesOf = ({ tables, database }: Pick<TestTools, 'tables' | 'database'>): string[] => [
  ...tables,
  ...database.migrations.flatMap(({ names, table }) => (names.length > 0 ? [table] : [])),
];

interface Missing {
  /** The quoted name of a table or of a sequence. Only sequences have the privilege USAGE. */
  readonly object: string;
  readonly privileges: readonly string[];
}

/** Privileges that the current role lacks, for example `INSERT on oauth_code`, and the statements that grant them. */
export interface MissingPrivileges {
  readonly missing: readonly string[];
  readonly grants: readonly string[];
}

interface LaterPrivileges extends MissingPrivileges {
  /** The role that migrates, and the statement with which it grants its new tables in advance. */
  readonly owner: string;
  readonly inAdvance: string;
}

interface Names {
  readonly role: string;
  readonly schema: string;
  readonly owner: string;
}

async function find(ask: RunQuery, query: string, tables: readonly string[]): Promise<MissingPrivileges & Names> {
  const [names] = await ask<Names>(NAMES);
  const rows = await ask<Missing>(query, [tables, APPEND_ONLY, OF_MIGRATIONS]);
  const groups = new Map<string, string[]>();
  for (const { object, privileges } of rows) {
    const target = `${privileges.join(', ')} ON ${privileges[0] === 'USAGE' ? 'SEQUENCE ' : ''}`;
    groups.set(target, [...(groups.get(target) ?? []), object]);
  }
  const { role } = names as Names;
  return {
    ...(names as Names),
    missing: rows.map(({ object, privileges }) => `${privileges.join(', ')} on ${object}`),
    grants: [...groups].map(([target, objects]) => `GRANT ${target}${objects.join(', ')} TO ${role}`),
  };
}

/** The privileges that the current role lacks on the existing ones of these tables. */
export const missingPrivileges = (ask: RunQuery, tables: readonly string[]): Promise<MissingPrivileges> =>
  find(ask, MISSING_NOW, tables);

/** The privileges that the current role will lack on those of these tables that migrations have yet to create. */
export async function laterPrivileges(ask: RunQuery, tables: readonly string[]): Promise<LaterPrivileges> {
  const found = await find(ask, MISSING_LATER, tables);
  const { role, schema, owner } = found;
  const inAdvance = `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`;
  return { ...found, inAdvance };
}
