import { join } from 'node:path';

const load = (name: string) => import(join(import.meta.dirname, '../..', 'scripts', 'rolling', `${name}.mjs`));

class First1000000000000 {}
class Second2000000000000 {
  readonly breaksRollback = 'a table is gone';
}
class Third3000000000000 {}
const ALL = [First1000000000000, Second2000000000000, Third3000000000000];

test('pending changes that the previous version cannot run with are reported', async () => {
  const { due } = await load('fleet');
  const names = ALL.map(({ name }) => name);
  const breaking = ['a table is gone (Second2000000000000)'];
  expect(due(ALL, names)).toEqual({ names: [], breaking: [] });
  expect(due(ALL, names.slice(0, 2))).toEqual({ names: names.slice(2), breaking: [] });
  expect(due(ALL, names.slice(0, 1))).toEqual({ names: names.slice(1), breaking });
  expect(due(ALL, [])).toEqual({ names, breaking });
});

/** What happens to two old replicas, in order, if these migrations are pending. */
async function upgraded(names: readonly string[], breaking: readonly string[]): Promise<string[]> {
  const { Fleet, upgrade } = await load('fleet');
  const reported: string[] = [];
  const version = (name: string) => ({
    name,
    migrate: async () => void reported.push(`migrated by ${name}`),
    start: async () => {
      reported.push(`${name} starts`);
      return { version: name, out: '', complaints: [], stop: async () => void reported.push(`${name} ends`) };
    },
  });
  const replicas: { version: string }[] = [];
  const balancer = {
    replicas,
    leave: async (replica: { version: string }) => void replicas.splice(replicas.indexOf(replica), 1),
  };
  const traffic = {
    leave: async () => void reported.push('clients leave'),
    comeBack: async () => void reported.push('clients come back'),
  };
  const [oldest, newest] = [version('old'), version('new')];
  const fleet = Object.assign(new Fleet({}, balancer, traffic), {
    work: async (what: string) => void reported.push(`${what}: ${replicas.map((one) => one.version).join(' + ')}`),
  });
  await fleet.add(oldest);
  await fleet.add(oldest);
  reported.length = 0;
  const said = jest.spyOn(console, 'log').mockImplementation(() => {});
  await upgrade(fleet, oldest, newest, { names, breaking });
  reported.push(...said.mock.calls.map(([line]) => String(line)));
  said.mockRestore();
  return reported;
}

test('additive changes are served by both versions in parallel, forward, back and forward again', async () => {
  expect(await upgraded(['First1000000000000'], [])).toEqual([
    ...['migrated by new', 'on the new schema: old + old'],
    ...[
      'new starts',
      'old ends',
      'forward, one of two: old + new',
      'new starts',
      'old ends',
      'forward, both: new + new',
    ],
    ...['old starts', 'new ends', 'back, one of two: new + old', 'old starts', 'new ends', 'back, both: old + old'],
    ...['new starts', 'old ends', 'forward again, one of two: old + new'],
    ...['new starts', 'old ends', 'forward again, both: new + new'],
    'migrated: First1000000000000',
  ]);
});

test('if a way back is declared broken, no old replica uses the new schema, and clients wait', async () => {
  expect(await upgraded(['Second2000000000000'], ['a table is gone (Second2000000000000)'])).toEqual([
    ...['clients leave', 'old ends', 'old ends', 'migrated by new', 'new starts', 'new starts'],
    ...['clients come back', 'after a pause: new + new'],
    'not side by side, and no way back: a table is gone (Second2000000000000)',
    'migrated: Second2000000000000',
  ]);
});
