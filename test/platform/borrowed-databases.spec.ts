import { join } from 'node:path';
import { borrowDatabase } from '../support/embedded.js';

const TEMPLATE = join(process.env.GATEHOUSE_TEST_EMBEDDED ?? '', 'template.tar');

type Engine = Awaited<ReturnType<typeof borrowDatabase>>['engine'];

/** Every row, the size of every table, and the state of every sequence. */
async function contentOf(engine: Engine) {
  const ask = async (text: string) => (await engine.query<Record<string, unknown>>(text)).rows;
  const content: Record<string, unknown> = { sequences: await ask('SELECT * FROM pg_sequences ORDER BY sequencename') };
  for (const { name } of await ask(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)) {
    content[name as string] = await ask(`SELECT pg_relation_size('${name}') AS size, to_json(t) AS row FROM
      (SELECT 1) AS one LEFT JOIN ${name} t ON true ORDER BY to_json(t)::text`);
  }
  return content;
}

describe('a lent embedded database', () => {
  test('contains no data of its previous users', async () => {
    const first = await borrowDatabase(TEMPLATE);
    const fresh = await contentOf(first.engine);
    await first.engine.exec(`SELECT nextval('webhook_event_id_seq'); ANALYZE session`);
    await first.engine.exec('BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM migration');
    await first.engine.exec(`INSERT INTO account_settings (account_id) VALUES (1);
      INSERT INTO account (id, username, discriminator, created_at) VALUES (1, 'ada', 1, now());
      INSERT INTO audit_log (id, admin_user_id, action, target_type, request_id, created_at, sequence, hash)
        VALUES (1, 1, 'a', 't', 'r', now(), 1, '');
      COMMIT`);
    expect(await contentOf(first.engine)).not.toEqual(fresh);
    await first.release();

    const second = await borrowDatabase(TEMPLATE);
    expect(second.engine).toBe(first.engine);
    expect(await contentOf(second.engine)).toEqual(fresh);
    await second.release();
  });

  test('is not used again after its schema was changed', async () => {
    const first = await borrowDatabase(TEMPLATE);
    await first.engine.exec('CREATE TABLE stray (id int)');
    await first.release();
    const second = await borrowDatabase(TEMPLATE);
    expect(second.engine).not.toBe(first.engine);
    await second.release();
  });
});
