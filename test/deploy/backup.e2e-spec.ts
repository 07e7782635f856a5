import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, missing, programPath } from '../machine/programs.js';

const SCRIPT = join(import.meta.dirname, '../../deploy/backup/backup.sh');
const DAY_MS = 86_400_000;

describeUnless(missing('pg_dump', 'pg_restore'))('deploy/backup/backup.sh', () => {
  describeOnPostgres('on PostgreSQL', () => {
    const place = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
    const BACKUP_DIR = join(place, 'backups');
    const MEDIA_LOCAL_ROOT = join(place, 'media');
    const dumps = (): string[] => readdirSync(BACKUP_DIR).filter((name) => name !== 'media');
    const backUp = (databaseUrl: string) => {
      const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, BACKUP_DIR, MEDIA_LOCAL_ROOT };
      return spawnSync('sh', [SCRIPT], { env, encoding: 'utf8' });
    };
    afterAll(() => rmSync(place, { recursive: true }));

    test('writes a dump that can be restored and the media, and deletes old dumps', async () => {
      const { DATABASE_URL = '' } = await migratedDatabase();
      await query(
        DATABASE_URL,
        "INSERT INTO ip_ban (value, kind, reason) VALUES ('192.0.2.7', 'permanent', 'automatic')",
      );
      mkdirSync(join(MEDIA_LOCAL_ROOT, 'media'), { recursive: true });
      writeFileSync(join(MEDIA_LOCAL_ROOT, 'media', 'a'), 'a picture');
      mkdirSync(BACKUP_DIR);
      const old = ['gatehouse-old.dump', 'gatehouse-recent.dump'];
      for (const [n, name] of old.entries()) {
        writeFileSync(join(BACKUP_DIR, name), '');
        const at = new Date(Date.now() - (n === 0 ? 9 : 5) * DAY_MS);
        utimesSync(join(BACKUP_DIR, name), at, at);
      }
      const { status, stdout, stderr } = backUp(DATABASE_URL);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const dump = stdout.trim();
      expect(dumps().sort()).toEqual([dump.slice(BACKUP_DIR.length + 1), 'gatehouse-recent.dump'].sort());
      expect(readFileSync(join(BACKUP_DIR, 'media', 'media', 'a'), 'utf8')).toBe('a picture');
      const target = await emptyDatabase();
      const args = ['--no-owner', '--exit-on-error', `--dbname=${target}`, dump];
      expect(spawnSync(programPath('pg_restore') ?? '', args, { encoding: 'utf8' }).stderr).toBe('');
      expect(await query(target, 'SELECT value FROM ip_ban')).toEqual([{ value: '192.0.2.7' }]);
    });

    test('fails without a database, and keeps no unfinished dump', () => {
      const before = dumps();
      const { status, stdout } = backUp('postgres://gatehouse@127.0.0.1:1/gatehouse');
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(dumps()).toEqual(before);
    });
  });
});
