import { CleanupJobs, TeamMetrics } from '../../src/index.js';
import { notes } from '../fixtures/team/feature.js';
import { Upkeep, upkeep as upkeepFeature } from '../fixtures/team/upkeep.js';
import { eventually, expectApiError, type Gatehouse, gatehouse, sweep } from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ features: [notes, upkeepFeature] });
});
afterAll(() => service.close());

const metrics = async () => (await service.anonymous.get('/metrics')).text;

describe('chores of a team', () => {
  test('are done by the janitor in its rounds', async () => {
    await service.sql('INSERT INTO notes_notebook VALUES (1), (2)');
    await service.sql(`INSERT INTO notes (id, owner_id, notebook_id, expires_at)
      VALUES (1, 1, 1, NULL), (2, 1, 2, now() - interval '1 second'), (3, 1, 1, now() + interval '1 hour')`);
    await sweep(service);
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '1' }, { id: '3' }]);
    expect(await service.sql('SELECT id FROM notes_notebook')).toEqual([{ id: '1' }]);
  });

  test('one that fails is named in the log, is undone, and keeps no other from its turn', async () => {
    await service.sql('INSERT INTO notes_notebook VALUES (3)');
    const janitor = service.app.get(CleanupJobs);
    let later = 0;
    janitor.add('broken chore', async (tx) => {
      await tx.query('DELETE FROM notes');
      throw new Error('a chore that fails');
    });
    janitor.add('later chore', async () => {
      later++;
      return 0;
    });
    await expect(sweep(service)).rejects.toThrow('a chore that fails');
    const line = service.log.find((entry) => entry.includes('expired rows could not be removed')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ table: 'broken chore', error: { message: 'a chore that fails' } });
    expect(later).toBe(1);
    expect(await service.sql('SELECT id FROM notes ORDER BY id')).toEqual([{ id: '1' }, { id: '3' }]);
    expect(await service.sql('SELECT id FROM notes_notebook')).toEqual([{ id: '1' }]);
  });

  test('none takes the place of one that is there', () => {
    const add = () => service.app.get(CleanupJobs).add('outbox', async () => 0);
    expect(add).toThrow('the cleanup job outbox is already registered');
  });
});

describe('health checks of a team', () => {
  const ready = () => service.anonymous.get('/health/ready');
  const becomes = (status: number) =>
    eventually(`readiness ${status}`, async () => ((await ready()).status === status ? true : undefined));

  test('turn readiness red while one fails, whose name the log and a metric have and the answer has not', async () => {
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
    expect(service.log.filter((line) => line.includes('upkeep-index fails'))).toHaveLength(1);
    expect(service.log.join('')).toContain('the index does not answer');
    expect(service.log.join('')).toContain('Check that the index server runs');
    expect((await service.anonymous.get('/health/live')).body).toEqual({ status: 'ok' });
    upkeep.isIndexUp = true;
    await becomes(200);
    expect(service.log.join('')).toContain('the health check upkeep-index passes again');
  });
});

describe('metrics of a team', () => {
  test('stand beside ours, a series for every choice of labels from the start', async () => {
    const team = service.app.get(TeamMetrics);
    const asked = team.counter('notes_asked_total', 'Questions', { by: ['user', 'bot'], found: ['yes', 'no'] });
    const seconds = team.histogram('notes_search_seconds', 'Searches', [0.1, 1]);
    asked.add({ by: 'bot', found: 'no' });
    asked.add({ by: 'bot', found: 'no' }, 2);
    seconds.observe({}, 0.5);
    const lines = (await metrics()).split('\n').filter((line) => line.startsWith('notes_'));
    expect(lines).toEqual(
      expect.arrayContaining([
        'notes_asked_total{by="bot",found="no"} 3',
        'notes_asked_total{by="user",found="yes"} 0',
        'notes_search_seconds_bucket{le="0.1"} 0',
        'notes_search_seconds_bucket{le="1"} 1',
        'notes_stored 2',
        'notes_swept_total{what="notebook"} 2',
      ]),
    );
  });

  test('a label has no value that was not told', () => {
    const opened = service.app.get(TeamMetrics).counter('notes_opened_total', 'Notes opened', { by: ['user'] });
    expect(() => opened.add({ by: '1234' as 'user' })).toThrow('no such value of its label by');
    expect(() => opened.add({} as { by: 'user' })).toThrow('no such value of its label by');
    expect(() => opened.add({ by: 'user', id: '7' } as { by: 'user' })).toThrow('has no label id');
  });

  test.each([
    ['gatehouse_notes_total', 'needs a name'],
    ['process_notes', 'needs a name'],
    ['notes', 'needs a name'],
    ['Notes_total', 'needs a name'],
    ['notes_swept_total', 'exists'],
  ])('%s is refused', (name, message) => {
    expect(() => service.app.get(TeamMetrics).counter(name, 'Faulty')).toThrow(message);
    expect(() => service.app.get(TeamMetrics).gauge(name, 'Faulty', async () => 0)).toThrow(message);
  });

  test('labels with too many values are refused', () => {
    const ids = Array.from({ length: 1001 }, (_, n) => String(n));
    expect(() => service.app.get(TeamMetrics).counter('notes_read_total', 'Reads', { id: ids })).toThrow(
      'more than 1000 series',
    );
  });
});
