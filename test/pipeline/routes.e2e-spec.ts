import '../../src/app.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Commands } from '../../src/gateway/commands/commands.service.js';
import { Routes } from '../../src/policy/routes.js';
import { type Gatehouse, gatehouse } from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

/** Lines of one list that the other lacks. */
const missing = (lines: string[], from: string[]): string[] => lines.filter((line) => !from.includes(line));

test('the routes and gateway commands equal the snapshot: a difference is a change of permissions', () => {
  const recorded = readFileSync(join(import.meta.dirname, '../routes.snapshot.txt'), 'utf8')
    .trim()
    .split('\n');
  const described = service.app.get(Routes).describe() + service.app.get(Commands).describe();
  const actual = described.trim().split('\n');
  const gone = missing(recorded, actual);
  const fresh = missing(actual, recorded);
  if (gone.length + fresh.length > 0) {
    throw new Error(
      [
        'Who may use which route or gateway command has changed. Read every line; if each is meant, run',
        '  npm run -s routes > test/routes.snapshot.txt',
        ...gone.map((line) => `- ${line}`),
        ...fresh.map((line) => `+ ${line}`),
      ].join('\n'),
    );
  }
  expect(actual).toEqual(recorded);
});
