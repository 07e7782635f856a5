import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_OBJECTS } from '../../src/platform/dependencies/schema-objects.js';
import { type Gatehouse, gatehouse } from '../support/index.js';
import { schemaOf } from '../support/schema.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const schema = () => schemaOf(async (text) => (await service.sql(text)) as { line: string }[]);

test('the schema equals the snapshot: a difference is the effect of a migration (npm run -s schema > test/schema.snapshot.sql)', async () => {
  expect(await schema()).toBe(readFileSync(join(import.meta.dirname, '../schema.snapshot.sql'), 'utf8'));
});

test.each([
  ['a column', 'ALTER TABLE account ADD COLUMN shoe_size smallint DEFAULT 42', '  shoe_size smallint DEFAULT 42'],
  ['a constraint', 'ALTER TABLE account ADD CONSTRAINT small CHECK (id > 7)', 'ADD CONSTRAINT small CHECK ((id > 7));'],
  ['an index', 'CREATE INDEX by_flags ON account (flags)', 'CREATE INDEX by_flags ON account USING btree (flags);'],
])('%s shows', async (_what, change, line) => {
  const before = await schema();
  await service.sql(change);
  const after = await schema();
  expect(before).not.toContain(line);
  expect(after).toContain(line);
});

test('the self-test of the database knows every constraint, unique index and trigger of the migrations', async () => {
  const fresh = await gatehouse();
  const lines = await schemaOf(async (text) => (await fresh.sql(text)) as { line: string }[]);
  const patterns = [
    /^ALTER TABLE (?<table>\S+) ADD CONSTRAINT (?<name>\S+) /gm,
    /^CREATE UNIQUE INDEX (?<name>\S+) ON (?<table>\S+) /gm,
    /^CREATE TRIGGER (?<name>\S+) .+? ON (?<table>\S+) /gm,
  ];
  const found = patterns.flatMap((pattern) =>
    [...lines.replaceAll('"', '').matchAll(pattern)].map(({ groups }) => `${groups?.table} ${groups?.name}`),
  );
  expect(SCHEMA_OBJECTS).toEqual([...new Set(found)].sort());
  await fresh.close();
});
