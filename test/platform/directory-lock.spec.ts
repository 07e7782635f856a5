import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from '../../src/platform/database/directory-lock.js';

const SCRIPT = join(import.meta.dirname, '../machine', 'lock-holder.mjs');
const REFUSED = /^DatabaseInUseError: .* is in use by process \d+ on /;
const ROUNDS = Number(process.env.LOCK_ROUNDS ?? 300);

/** A process that takes and releases the lock on command. */
class Contender {
  private constructor(readonly child: ChildProcess) {}

  static async at(directory: string, wrapped: string[] = []): Promise<Contender> {
    const [command, ...before] = wrapped;
    const child = command
      ? spawn(command, [...before, process.execPath, SCRIPT, directory], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        })
      : fork(SCRIPT, [directory], { execArgv: [] });
    contenders.push(child);
    await once(child, 'message');
    return new Contender(child);
  }

  async told(command: 'take' | 'leave'): Promise<string> {
    const answered = once(this.child, 'message');
    this.child.send(command);
    return String((await answered)[0]);
  }

  async killed(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

const contenders: ChildProcess[] = [];
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-lock-'));
let count = 0;
const fresh = () => join(directory, String(count++));

afterAll(async () => {
  for (const child of contenders) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(directory, { recursive: true, force: true });
});

test(`of two processes that lock it concurrently, one succeeds, ${ROUNDS} times: new, and left by the previous one`, async () => {
  const place = fresh();
  const pair = [await Contender.at(place), await Contender.at(place)];
  for (let round = 0; round < ROUNDS; round++) {
    // Every tenth round uses a directory that no process has locked before.
    if (round % 10 === 0) rmSync(place, { recursive: true, force: true });
    const responses = await Promise.all(pair.map((one) => one.told('take')));
    const held = responses.indexOf('held');
    expect(responses.filter((response) => response === 'held')).toHaveLength(1);
    expect(responses[1 - held]).toMatch(REFUSED);
    await pair[held]?.told('leave');
  }
});

test('six processes, a holder killed in every round: exactly one of the others follows it', async () => {
  const place = fresh();
  const six = await Promise.all(Array.from({ length: 6 }, () => Contender.at(place)));
  while (six.length > 1) {
    const responses = await Promise.all(six.map((one) => one.told('take')));
    expect(responses.filter((response) => response === 'held')).toHaveLength(1);
    const [holder] = six.splice(responses.indexOf('held'), 1);
    await holder?.killed();
  }
});

test('the files of a stopped holder block no process, even one with its process ID', async () => {
  const place = fresh();
  const first = await Contender.at(place);
  expect(await first.told('take')).toBe('held');
  expect(await (await Contender.at(place)).told('take')).toMatch(new RegExp(`process ${first.child.pid} on`));
  await first.killed();
  // The lock does not trust the text of these files. This is the process ID of a live process.
  for (const name of ['lock', join('holder', 'pid')]) writeFileSync(join(place, name), String(process.pid));
  const release = await lockDirectory(place);
  expect(readdirSync(join(place, 'holder'))).toHaveLength(1);
  release();
});

test('the same process does not get it twice', async () => {
  const place = fresh();
  const release = await lockDirectory(place);
  await expect(lockDirectory(place)).rejects.toThrow(`in use by process ${process.pid} on`);
  release();
  (await lockDirectory(place))();
});

test('the length of the path does not matter', async () => {
  const place = join(fresh(), 'a'.repeat(120), 'b'.repeat(120));
  const release = await lockDirectory(place);
  await expect(lockDirectory(place)).rejects.toThrow('in use by');
  release();
});

const APART = ['unshare', '--pid', '--fork', '--kill-child'];
const canSeparate = spawnSync(APART[0] as string, [...APART.slice(1), 'true']).status === 0;
const testApart = canSeparate ? test : test.skip;

testApart('in two namespaces, each with process ID 1 (skipped if `unshare --pid` is not permitted)', async () => {
  const place = fresh();
  const pair = [await Contender.at(place, APART), await Contender.at(place, APART)];
  for (let round = 0; round < 30; round++) {
    const responses = await Promise.all(pair.map((one) => one.told('take')));
    const held = responses.indexOf('held');
    expect(responses.filter((response) => response === 'held')).toHaveLength(1);
    expect(responses[1 - held]).toMatch(/is in use by process 1 on /);
    await pair[held]?.told('leave');
  }
  expect(await pair[0]?.told('take')).toBe('held');
  await pair[0]?.killed();
  let response = '';
  // The namespace ends together with `unshare`. Its process ends a moment later.
  while (response !== 'held') response = (await pair[1]?.told('take')) ?? '';
});
