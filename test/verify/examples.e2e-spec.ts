import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../machine/guides.js';
import { EXAMPLES, RunningExample } from './example.js';
import { CLIENT, FakeGatehouse } from './fake-gatehouse.js';
import { get } from './subject.js';

const root = join(import.meta.dirname, '../..');

describe.each(EXAMPLES)('examples/$name', (example) => {
  test('the guide shows the file of the example', () => {
    const shown = blocksOf('docs/guides/clients/protect-service.md').map(({ code }) => code);
    expect(shown).toContain(readFileSync(join(root, 'examples', example.name, example.file), 'utf8'));
  });

  test('admits and rejects as Gatehouse decides, and shows its counters', async () => {
    const fake = await FakeGatehouse.start();
    const env = { GATEHOUSE_URL: fake.url, CLIENT_ID: CLIENT.id, CLIENT_SECRET: CLIENT.secret };
    const service = await RunningExample.start(example, env);
    try {
      const { body } = await get(`${service.url}/documents`, { authorization: 'a' });
      expect(JSON.parse(body)).toEqual({ documents: ['Notes of account 7'] });
      fake.respond = () => ({ admitted: false, status: 401, headers: {}, body: '{"code":"X"}', tags: [] });
      const rejected = await get(`${service.url}/documents`, { authorization: 'b' });
      expect(rejected).toMatchObject({ status: 401, body: '{"code":"X"}' });
      expect(JSON.parse((await get(`${service.url}/health`)).body)).toMatchObject({ misses: 2 });
    } finally {
      await service.close();
      await fake.close();
    }
  });
});
