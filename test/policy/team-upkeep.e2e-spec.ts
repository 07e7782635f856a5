import { Cleanup, Metrics } from '../../src/index.js';
import { notes } from '../fixtures/team/feature.js';
import { Upkeep, upkeep as upkeepFeature } from '../fixtures/team/upkeep.js';
import { eventually, expectApiError, type Gatehouse, gatehouse, runCleanup } from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ features: [notes, upkeepFeature] });
});
afterAll(() => service.close());

const metrics = async () => (await service.anonymous.get('/metrics')).text;

describe('cleanup jobs of an extension', () => {
  test('run in the rounds of cleanup', async () => {
    await service.sql('INSERT INTO notes_notebook VALUES (1), (2)');
    await service.sql(`INSERT INTO notes (id, owner_id, notebook_id, expires_at)
      VALUES (1, 1, 1, NULL), (2, 1, 2, now() - interval '1 second'), (3, 1, 1, now() + interval '1 hour')`);
    await runCleanup(service);
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '1' }, { id: '3' }]);
    expect(await service.sql('SELECT id FROM notes_notebook')).toEqual([{ id: '1' }]);
  });

  test('a failing one is named in the log, is rolled back, and does not block others', async () => {
    await service.sql('INSERT INTO notes_notebook VALUES (3)');
    const janitor = service.app.get(Cleanup);
    let later = 0;
    janitor.add('broken chore', async (tx) => {
      await tx.query('DELETE FROM notes');
      throw new Error('a chore that fails');
    });
    janitor.add('later chore', async () => {
      later++;
      return 0;
    });
    await expect(runCleanup(service)).rejects.toThrow('a chore that fails');
    const line = service.log.find((entry) => entry.includes('deleting expired rows failed')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ table: 'broken chore', error: { message: 'a chore that fails' } });
    expect(later).toBe(1);
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '1' }, { id: '3' }]);
    expect(await service.sql('SELECT id FROM notes_notebook')).toEqual([{ id: '1' }]);
  });

  test('none replaces an existing one', () => {
    const add = () => service.app.get(Cleanup).add('outbox', async () => 0);
    expect(add).toThrow('The cleanup task outbox is already registered');
  });
});

describe('health checks of an extension', () => {
  const ready = () => service.anonymous.get('/health/ready');
  const becomes = (status: number) =>
    eventually(`readiness ${status}`, async () => ((await ready()).status === status ? true : undefined));

  test('turn readiness red while one fails; its name is in the log and a metric, not in the response', async () => {
    const upkeep = service.app.get(Upkeep);
    expect((await ready()).body).toEqual({ status: 'ok' });
    expect(await metrics()).toContain('gatehouse_health_check{check="upkeep-index"} 1');
    upkeep.isIndexUp = false;
    await becomes(503);
    const refused = await ready();
    expectApiError(refused, 'SERVICE_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.text).not.toContain('index');
    expect(await metrics()).toContain('gatehouse_health_check{check="upkeep-index"} 0');
    expect(service.log.filter((line) => line.includes('upkeep-index failed'))).toHaveLength(1);
    expect(service.log.join('')).toContain('the index does not answer');
    expect(service.log.join('')).toContain('Check that the index server runs');
    expect((await service.anonymous.get('/health/live')).body).toEqual({ status: 'ok' });
    upkeep.isIndexUp = true;
    await becomes(200);
    expect(service.log.join('')).toContain('health check upkeep-index passes again');
  });
});

describe('metrics of an extension', () => {
  test('are next to the built-in ones, with a series for each combination of labels from the start', async () => {
    const team = service.app.get(Metrics);
    team.add('upkeep_deleted_total', { table: 'notes' });
    team.add('upkeep_deleted_total', { table: 'notes' }, 2);
    team.observe('upkeep_search_seconds', {}, 0.5);
    const lines = (await metrics()).split('\n').filter((line) => line.startsWith('upkeep_'));
    expect(lines).toEqual(
      expect.arrayContaining([
        'upkeep_deleted_total{table="notes"} 3',
        'upkeep_deleted_total{table="notes_notebook"} 2',
        'upkeep_search_seconds_bucket{le="0.1"} 0',
        'upkeep_search_seconds_bucket{le="1"} 1',
        'upkeep_notes 2',
      ]),
    );
  });

  test('misspelled names, labels and values do not compile, and are rejected at runtime', () => {
    const team = service.app.get(Metrics);
    // @ts-expect-error: no feature declares this name.
    expect(() => team.add('upkeep_deletd_total', {})).toThrow('Unknown metric upkeep_deletd_total');
    // @ts-expect-error: the metric is a counter.
    expect(() => team.set('upkeep_deleted_total', { table: 'notes' }, 1)).toThrow(TypeError);
    // @ts-expect-error: the feature does not declare this value.
    expect(() => team.add('upkeep_deleted_total', { table: '1234' })).toThrow(
      'The label table of the metric upkeep_deleted_total',
    );
    // @ts-expect-error: the label is missing.
    expect(() => team.add('upkeep_deleted_total', {})).toThrow('The label table of the metric upkeep_deleted_total');
    // @ts-expect-error: the metric has no such label.
    expect(() => team.observe('upkeep_search_seconds', { id: '7' }, 1)).not.toThrow();
    // @ts-expect-error: the built-in metric has no such label.
    expect(() => team.add('gatehouse_sign_ins_total', { id: '7' })).toThrow(
      'The label method of the metric gatehouse_sign_ins_total',
    );
  });
});
