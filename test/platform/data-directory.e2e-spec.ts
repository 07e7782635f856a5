import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endProcesses, preparedDirectory, ServiceProcess } from '../machine/service-process.js';
import { copyTemplate } from '../support/gatehouse.js';

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-data-'));
afterAll(async () => {
  await endProcesses();
  rmSync(directory, { recursive: true, force: true });
});

/** Everything below a directory, including the directory itself, without links. */
function* everything(path: string): Generator<string> {
  const facts = lstatSync(path);
  if (facts.isSymbolicLink()) return;
  yield path;
  if (facts.isDirectory()) for (const name of readdirSync(path)) yield* everything(join(path, name));
}

const loose = (path: string): string[] =>
  [...everything(path)].filter((found) => lstatSync(found).mode & 0o077).map((found) => found.slice(directory.length));

/** Starts a service with umask 0, which gives other users full access. It uses the embedded database by default. */
async function startedLoosely(DATA_DIR: string, DATABASE_URL?: string): Promise<ServiceProcess> {
  const before = process.umask(0);
  try {
    const service = ServiceProcess.start({ DATA_DIR, DATABASE_URL });
    process.umask(before);
    await service.waitForBanner();
    return service;
  } finally {
    process.umask(before);
  }
}

async function doctor(DATA_DIR: string): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'dist/src/cli.js'), 'doctor'], {
    cwd: directory,
    env: { PATH: process.env.PATH, DATA_DIR },
  });
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return out;
}

test('nothing in DATA_DIR is accessible to other users, with any umask, from the first start to the last', async () => {
  const DATA_DIR = join(directory, 'new');
  const databaseUrl = await copyTemplate();
  const service = await startedLoosely(DATA_DIR, databaseUrl);
  const account = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };
  const { body } = await service.anonymous.post('/v1/auth/register', account);
  const picture = `data:image/png;base64,${PICTURE}`;
  expect(await service.as(body.token).patch('/v1/users/@me', { avatar: picture })).toMatchObject({ status: 200 });
  expect(loose(DATA_DIR)).toEqual([]);
  const made = databaseUrl ? ['media'] : ['database', 'holder', 'media'];
  expect(readdirSync(DATA_DIR)).toEqual(expect.arrayContaining(made));
  expect(await service.stop()).toBe(0);
  expect(loose(DATA_DIR)).toEqual([]);
});

test('doctor reports a directory that others can reach, and the next start fixes it; links are not followed', async () => {
  const DATA_DIR = join(directory, 'old');
  mkdirSync(DATA_DIR, { mode: 0o777 });
  preparedDirectory(DATA_DIR);
  expect(await (await startedLoosely(DATA_DIR)).stop()).toBe(0);
  expect(await doctor(DATA_DIR)).toMatch(/^ok +DATA_DIR: other users cannot read or write it$/m);

  const elsewhere = join(directory, 'elsewhere');
  writeFileSync(elsewhere, '');
  chmodSync(elsewhere, 0o666);
  symlinkSync(elsewhere, join(DATA_DIR, 'link'));
  for (const path of everything(DATA_DIR)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
  expect(await doctor(DATA_DIR)).toMatch(/ERROR +DATA_DIR: other users can access .*old and \d+ more/);

  for (const path of everything(DATA_DIR)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
  const service = await startedLoosely(DATA_DIR);
  expect(loose(DATA_DIR)).toEqual([]);
  expect(lstatSync(elsewhere).mode & 0o777).toBe(0o666);
  expect(await service.stop()).toBe(0);
});

test('a data directory that cannot be used is one line', async () => {
  writeFileSync(join(directory, 'file'), '');
  const service = ServiceProcess.start({ DATA_DIR: join(directory, 'file', 'below') });
  expect(await service.exited).toBe(1);
  expect(service.err.trim().split('\n')).toEqual([expect.stringMatching(/^Cannot write .*: .*\(ENOTDIR\)/)]);
});

// One red pixel.
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
