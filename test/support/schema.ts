/** Runs a statement that returns one column, `line`. */
export type Query = (text: string) => Promise<readonly { line: string }[]>;

const OURS = `'public'::regnamespace`;

const COLUMNS = `
  SELECT format(E'CREATE TABLE %I (\\n%s\\n);', c.relname, string_agg(
    concat_ws(' ', '  ' || quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attidentity <> '' THEN 'GENERATED AS IDENTITY' END,
      CASE WHEN a.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s)', pg_get_expr(d.adbin, d.adrelid))
           WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
      CASE WHEN a.attnotnull THEN 'NOT NULL' END),
    E',\\n' ORDER BY a.attnum)) AS line
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = ${OURS}
  GROUP BY c.oid, c.relname`;

// Excludes NOT NULL constraints, which newer servers also list here. The lines of the columns already contain them.
const CONSTRAINTS = `
  SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s;', c.relname, k.conname, pg_get_constraintdef(k.oid)) AS line
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE k.connamespace = ${OURS} AND k.contype <> 'n'`;

const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) || ';' AS line
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = ${OURS} AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))`;

const REST = `
  SELECT format('CREATE SEQUENCE %I;', relname) AS line FROM pg_class WHERE relkind = 'S' AND relnamespace = ${OURS}
  UNION ALL SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = ${OURS}
  UNION ALL SELECT rtrim(pg_get_functiondef(oid)) || ';' FROM pg_proc WHERE pronamespace = ${OURS} AND prokind = 'f'
  UNION ALL SELECT pg_get_triggerdef(t.oid) || ';' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = ${OURS} AND NOT t.tgisinternal
  UNION ALL SELECT format('CREATE EXTENSION %I;', extname) FROM pg_extension WHERE extname <> 'plpgsql'`;

/**
 * The schema of a database, read from its catalogs. The text does not depend on the server or on how the schema was
 * created.
 */
export async function schemaOf(ask: Query): Promise<string> {
  const parts: string[] = [];
  for (const [text, between] of [
    [COLUMNS, '\n\n'],
    [CONSTRAINTS, '\n'],
    [INDEXES, '\n'],
    [REST, '\n'],
  ] as const) {
    const lines = (await ask(text)).map(({ line }) => line.replaceAll('public.', ''));
    parts.push(lines.sort().join(between));
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
