import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type INestApplication, Injectable, Module } from '@nestjs/common';
import { createApp } from '../../src/app.js';
import { execute } from '../../src/cli/execute.js';
import { featureRegistry, loadConfig } from '../../src/features.js';
import { Database, defineFeature, type HealthCheck } from '../../src/index.js';
import { Diary } from '../fixtures/team/diary.js';
import { notes } from '../fixtures/team/feature.js';
import { cleanUp } from '../support/cleanup.js';
import { openTestDatabase, type TestDatabase } from '../support/gatehouse.js';
import { Client, type Row } from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

/** Fails while the test says so. */
@Injectable()
class Shelf implements HealthCheck {
  static isUp = true;

  async check(): Promise<void> {
    if (!Shelf.isUp) throw new Error('the shelf does not respond');
  }
}

@Module({ providers: [Shelf] })
class ShelfModule {}

const shelf = defineFeature('shelf', {
  modules: [ShelfModule],
  healthChecks: {
    shelf: { check: Shelf, cause: 'that the shelf stands' },
    'shelf-spare': { check: Shelf, cause: 'nothing', isUsed: () => false },
  },
});

const extension = { features: [notes, shelf] };
const former = randomBytes(32).toString('base64');
const current = randomBytes(32).toString('base64');

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase();
});
afterAll(() => own.release());

const lent = () => (own.embedded ? { embeddedDatabase: own.embedded } : {});
const settings = (secrets: Record<string, string>) => ({
  ...{ NODE_ENV: 'test', LOG_LEVEL: 'silent', DATABASE_URL: own.databaseUrl, DATA_DIR: process.env.GATEHOUSE_TEST_DIR },
  ...GENEROUS_TIMEOUTS,
  ...secrets,
});
/** The secrets before, during and after a rotation. */
const BEFORE = { GATEHOUSE_SECRET: former };
const BETWEEN = { GATEHOUSE_SECRET: current, GATEHOUSE_SECRET_PREVIOUS: former };
const AFTER = { GATEHOUSE_SECRET: current };

/** Runs a command with the modules of the team. */
async function cli(secrets: Record<string, string>, ...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await execute(args, {
    ...{ env: settings(secrets), extension, ...lent() },
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Runs the service with the modules of the team, until `work` is done. */
async function running<T>(secrets: Record<string, string>, work: (app: INestApplication) => Promise<T>): Promise<T> {
  const limits = { RATE_LIMITS: 'off', REGISTRATION_ALLOWANCES: 'off', ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };
  const app = await createApp(loadConfig({ ...settings(secrets), ...limits }), { ...extension, ...lent() });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const sql = (app: INestApplication, text: string, values: unknown[] = []): Promise<Row[]> =>
  app.get(Database).manager.query(text, values);

const people = { ada: '', bob: '', eve: '' };

beforeAll(() =>
  running(BEFORE, async (app) => {
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    for (const username of Object.keys(people) as (keyof typeof people)[]) {
      const input = { email: `${username}@example.com`, password: 'a long enough password', username };
      const client = new Client(`http://127.0.0.1:${port}`, undefined, []);
      const { status, body } = await client.post('/v1/auth/register', input);
      expect({ status, body }).toMatchObject({ status: 200 });
      people[username] = body.user_id;
      await app.get(Diary).write(body.user_id, `the words of ${username}`);
    }
  }),
);

describe('account data of an extension', () => {
  test('is exported with the account, under its own name', async () => {
    const { code, out } = await cli(BEFORE, 'user', 'export', 'ada@example.com');
    const parts = JSON.parse(out);
    expect([code, parts.account.email]).toEqual([0, 'ada@example.com']);
    expect(parts.notes).toEqual([{ id: expect.stringMatching(/^\d+$/), words: 'the words of ada' }]);
  });

  test('is rotated with our secrets, and can be decrypted afterwards without the previous one', async () => {
    const words = 'the words of ada';
    const exported = async (secrets: Record<string, string>) => {
      const { code, out } = await cli(secrets, 'user', 'export', people.ada);
      return code === 0 ? JSON.parse(out).notes[0].words : code;
    };
    expect((await cli(BETWEEN, 'keys', 'rotate')).out).toContain('words of notes: 3 re-encrypted');
    expect(await exported(AFTER)).toBe(words);
    const again = await cli(BETWEEN, 'keys', 'rotate');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('words of notes: 0 re-encrypted')]);
    await running(AFTER, async (app) => {
      const [entry] = await sql(
        app,
        "SELECT metadata FROM audit_log WHERE action = 'rotate_keys' ORDER BY sequence LIMIT 1",
      );
      expect(entry?.metadata).toMatchObject({ 'words of notes': '3' });
    });
  });

  test('is rotated completely in several batches; values that no key decrypts are counted and kept', async () => {
    await running(AFTER, async (app) => {
      await sql(app, 'INSERT INTO notes (id, owner_id, words) SELECT n, 1, $1 FROM generate_series(1, 1001) n', [
        Buffer.from('no box of anybody'),
      ]);
    });
    const { code, out } = await cli(AFTER, 'keys', 'rotate');
    expect([code, out]).toEqual([1, expect.stringContaining('words of notes: 0 re-encrypted, 1001 lost')]);
    expect((await cli(AFTER, 'doctor')).out).toContain('cannot decrypt stored secrets: words of notes');
    await running(AFTER, (app) => sql(app, 'DELETE FROM notes WHERE owner_id = 1'));
    expect((await cli(AFTER, 'doctor')).out).toContain('decrypts stored secrets: words of notes');
  });

  test('doctor runs the health checks of an extension, and names the cause of a failing one', async () => {
    const passing = await cli(AFTER, 'doctor');
    expect([passing.code, passing.out]).toEqual([0, expect.stringContaining('shelf: the health check passes')]);
    expect(passing.out).not.toContain('shelf-spare');
    Shelf.isUp = false;
    const failing = await cli(AFTER, 'doctor');
    Shelf.isUp = true;
    expect(failing.code).toBe(1);
    expect(failing.out).toMatch(/ERROR {4}shelf: the health check fails\n +Check that the shelf stands/);
  });

  test.each([
    ['a name that is taken', 'words of notes', 'notes', 'title'],
    ['the name of one of ours', 'authenticator secrets', 'other', 'title'],
    ['a column that is sealed already', 'other words', 'notes', 'words'],
    ['SQL instead of a name', 'other words', 'notes; DROP TABLE notes', 'title'],
  ])('%s: the column is rejected', (_, name, table, column) => {
    const other = defineFeature('other', {
      encryptedColumns: { [name]: { table, column } },
      erasure: { other: { kept: 'only IDs' } },
    });
    expect(() => featureRegistry({ features: [notes, other] })).toThrow(name);
  });

  test('is erased with the account on the command line', async () => {
    const { code, out } = await cli(AFTER, 'user', 'delete', 'bob@example.com', '--yes');
    expect([code, out]).toEqual([0, expect.any(String)]);
    await running(AFTER, async (app) => {
      expect((await sql(app, 'SELECT owner_id FROM notes ORDER BY id')).map(({ owner_id }) => owner_id)).toEqual([
        ...[people.ada, people.eve],
      ]);
    });
  });

  test('is erased by cleanup; a removal that throws leaves everything, and the next round retries', () =>
    running(AFTER, async (app) => {
      await sql(
        app,
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'notes are in use'; END $$;
         CREATE TRIGGER fail BEFORE DELETE ON notes EXECUTE FUNCTION fail()`,
      );
      await sql(app, 'UPDATE account SET deletion_at = now() WHERE id = $1', [people.eve]);
      const state = async () => {
        await cleanUp(app);
        const [account] = await sql(app, 'SELECT email, deleted_at FROM account WHERE id = $1', [people.eve]);
        return [account?.email, await sql(app, 'SELECT owner_id FROM notes ORDER BY id')];
      };
      const notesOf = (...ids: string[]) => ids.map((owner_id) => ({ owner_id }));
      expect(await state()).toEqual(['eve@example.com', notesOf(people.ada, people.eve)]);
      await sql(app, 'DROP TRIGGER fail ON notes');
      expect(await state()).toEqual([null, notesOf(people.ada)]);
    }));

  test('on the command line, a removal that throws also leaves everything', async () => {
    await running(AFTER, (app) =>
      sql(
        app,
        `CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'notes are kept'; END $$;
         CREATE TRIGGER keep BEFORE DELETE ON notes EXECUTE FUNCTION keep()`,
      ),
    );
    const { code, err } = await cli(AFTER, 'user', 'delete', people.ada, '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('notes are kept')]);
    const { out } = await cli(AFTER, 'user', 'export', people.ada);
    expect(JSON.parse(out)).toMatchObject({
      account: { email: 'ada@example.com' },
      sessions: [expect.anything()],
      notes: [{ words: 'the words of ada' }],
    });
  });
});
