import { CLIENT, FakeGatehouse } from './fake-gatehouse.js';
import { FRAMEWORKS, type Framework, type Running } from './frameworks.js';
import { get } from './subject.js';

const BODY = '{"code":"INSUFFICIENT_SCOPE",  "message":"Ünzureichend"}';
const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'www-authenticate': 'Bearer error="insufficient_scope"',
  'x-request-id': 'b5d1',
  vary: ['Origin', 'Accept'],
};

for (const framework of FRAMEWORKS) {
  const reason = framework.isMissing ? ' (skipped: it is not installed)' : '';
  (framework.isMissing ? describe.skip : describe)(
    `forward-auth.md 4: the adapter for ${framework.name}${reason}`,
    () => testAdapter(framework),
  );
}

// Some servers join headers without a space.
function testAdapter({ paths, seen = /^Bot a, ?Bot b$/, changesHeaders, start }: Framework) {
  let fake: FakeGatehouse;
  let service: Running;
  const errors: Error[] = [];

  beforeAll(async () => {
    fake = await FakeGatehouse.start();
    const { id: clientId, secret: clientSecret } = CLIENT;
    service = await start({ url: fake.url, clientId, clientSecret, onError: (error) => errors.push(error) });
  });
  afterAll(async () => {
    await service.close();
    await fake.close();
  });

  describe.each(paths)('%s', (path) => {
    const call = (headers: Record<string, string | string[]>) => get(`${service.url}${path}`, headers);

    test('returns the caller', async () => {
      fake.respond = () => fake.admission({ identity: { kind: 'bot', account_id: '77' } });
      const { status, body } = await call({ authorization: 'Bot a', 'x-service-sudo-mode-jwt': 'proof' });
      expect({ status, ...JSON.parse(body) }).toEqual({ status: 200, kind: 'bot', account_id: '77' });
      const requested = { policy: 'documents-read', authorization: 'Bot a', sudo: 'proof', address: '127.0.0.1' };
      expect(fake.asked.at(-1)).toEqual(requested);
    });

    test('sends the response of the guard unchanged', async () => {
      fake.respond = () => ({ admitted: false, status: 403, headers: HEADERS, body: BODY, expires_in: 0, tags: [] });
      const { status, headers, body } = await call({ authorization: 'no' });
      expect({ status, body }).toEqual({ status: 403, body: BODY });
      expect(headers).toMatchObject({
        ...HEADERS,
        vary: changesHeaders ? expect.stringContaining('Origin, Accept') : 'Origin, Accept',
      });
      if (!changesHeaders) expect(headers['content-length']).toBe(String(Buffer.byteLength(BODY)));
    });

    test('sends the Authorization headers that the framework provides to Gatehouse', async () => {
      await call({ authorization: ['Bot a', 'Bot b'] });
      expect(fake.asked.at(-1)?.authorization).toMatch(seen);
    });

    test('responds with 503 and reports the reason if Gatehouse does not decide', async () => {
      fake.respond = () => 404;
      errors.length = 0;
      const { status, headers, body } = await call({ authorization: 'b' });
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(String(errors)).toContain('404');
    });
  });

  test('keeps an admission for all of its routes', async () => {
    fake.respond = () => fake.admission();
    while ((await get(`${service.url}${paths[0]}`, { authorization: 'kept' })).status === 200) {
      const { length } = fake.asked;
      await get(`${service.url}${paths[1]}`, { authorization: 'kept' });
      if (fake.asked.length === length) return;
    }
    throw new Error('The service is unavailable');
  });
}
