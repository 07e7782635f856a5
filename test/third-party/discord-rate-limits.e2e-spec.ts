import { jest } from '@jest/globals';
import { REST } from 'discord.js';
import { type App, type Gatehouse, gatehouse, newApp, type Persona, person } from '../support/index.js';

/** A client, the responses that it received, and the waits that it started by itself. */
interface Course {
  readonly rest: REST;
  readonly answers: { readonly at: number; readonly status: number; readonly retryAfter: number }[];
  readonly waits: { readonly global: boolean; readonly limit: number }[];
}

const BUCKET = 5;
const GLOBAL = 50;
const [ROUTE, NEIGHBOUR] = ['/oauth2/applications/@me', '/applications/@me'] as const;
const WIDE = '/users/@me';

describe('the rate limiter of discord.js, unchanged', () => {
  let service: Gatehouse;
  let owner: Persona;
  let robot: App;
  const courses: Course[] = [];
  // The rate limit buckets leak by this clock. It advances when a client waits, so the speed of requests does not
  // matter.
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);

  beforeAll(async () => {
    const limits = JSON.stringify({ 'oauth_dev:clients:list': `${BUCKET}/1`, 'user:settings:get': '1000/1' });
    service = await gatehouse({ env: { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: limits } });
    owner = await person(service, 'owner');
  });
  beforeEach(async () => {
    robot = await newApp(service, owner, { name: 'Robot' });
  });
  afterEach(() => {
    for (const { rest } of courses.splice(0)) {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    }
  });
  afterAll(async () => {
    clock.mockRestore();
    await service.close();
  });

  const course = (): Course => {
    const rest = new REST({ api: service.url, version: '1' }).setToken(robot.bot.slice('Bot '.length));
    const made: Course = { rest, answers: [], waits: [] };
    rest.on('response', (_request, { status, headers }) => {
      made.answers.push({ at: Date.now(), status, retryAfter: Number(headers.get('retry-after')) });
    });
    rest.on('rateLimited', ({ global, limit, timeToReset }) => {
      made.waits.push({ global, limit });
      now += timeToReset;
    });
    courses.push(made);
    return made;
  };
  const statusesOf = ({ answers: responses }: Course) => responses.map(({ status }) => status);
  const requested = ({ rest }: Course, times: number) =>
    Promise.all(Array.from({ length: times }, () => rest.get(ROUTE)));

  test('a single client is never rejected: it waits according to the headers of successful responses', async () => {
    const alone = course();
    for (const response of await requested(alone, BUCKET + 1)) expect(response).toMatchObject({ id: robot.id });
    expect(statusesOf(alone)).toEqual(Array(BUCKET + 1).fill(200));
    expect(alone.waits).toEqual([{ global: false, limit: BUCKET }]);
  });

  test('routes that share a bucket share a wait', async () => {
    const alone = course();
    await alone.rest.get(ROUTE);
    await alone.rest.get(NEIGHBOUR);
    await requested(alone, BUCKET - 2);
    expect(alone.waits).toEqual([]);
    expect(await alone.rest.get(NEIGHBOUR)).toMatchObject({ id: robot.id });
    expect(statusesOf(alone)).toEqual(Array(BUCKET + 1).fill(200));
    expect(alone.waits).toEqual([{ global: false, limit: BUCKET }]);
  });

  test('a client with an unexpected 429 retries after Retry-After', async () => {
    const surprised = course();
    const other = service.as(robot.bot);
    for (let request = 0; request < BUCKET; request++) await other.get(`/v1${ROUTE}`).expect(200);
    expect(await surprised.rest.get(ROUTE)).toMatchObject({ id: robot.id });
    expect(statusesOf(surprised)).toEqual([429, 200]);
    const [apiError, response] = surprised.answers;
    expect((response?.at ?? 0) - (apiError?.at ?? 0)).toBeGreaterThanOrEqual(1000 * (apiError?.retryAfter ?? 0));
    expect(surprised.waits).toEqual([{ global: false, limit: BUCKET }]);
  });

  test('the global limit stops all routes until it is over', async () => {
    const surprised = course();
    const other = service.as(robot.bot);
    await Promise.all(Array.from({ length: GLOBAL }, () => other.get(`/v1${WIDE}`).expect(200)));
    expect(await surprised.rest.get(WIDE)).toMatchObject({ id: robot.id });
    expect(await surprised.rest.get(ROUTE)).toMatchObject({ id: robot.id });
    expect(statusesOf(surprised)).toEqual([429, 200, 200]);
    expect(surprised.waits).toEqual([{ global: true, limit: GLOBAL }]);
    const [apiError, response] = surprised.answers;
    expect((response?.at ?? 0) - (apiError?.at ?? 0)).toBeGreaterThanOrEqual(1000 * (apiError?.retryAfter ?? 0));
  });
});
