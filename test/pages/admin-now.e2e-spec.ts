import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { GatewayClient } from '../support/gateway-client.js';
import { administrator, expectApiError, person, signIn } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { chooseLanguage, heading } from './driving.js';

const STATISTICS = '/v1/admin/instance/statistics';
const POLL_MS = 5000;

describeInBrowser('web.md 4: /admin/now', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    await world.service.sql('DELETE FROM replica_statistics WHERE worker_id >= 2000');
  });

  const chart = (name: string) => visit.page.getByRole('article', { name, exact: true });
  const figure = (name: string) => chart(name).locator('.figure');
  const shows = (name: string, text: string) =>
    figure(name)
      .filter({ hasText: new RegExp(`^${text}$`) })
      .waitFor();
  const table = (name: string) => visit.page.getByRole('region', { name, exact: true }).getByRole('table');
  const cells = (name: string, row: string) =>
    table(name).getByRole('row').filter({ hasText: row }).getByRole('cell').allInnerTexts();
  /** The next response that the page gets. */
  const answered = () => visit.page.waitForResponse((response) => response.url().endsWith(STATISTICS));
  const refresh = async () => {
    const request = visit.page.waitForRequest((one) => one.url().endsWith(STATISTICS));
    await visit.page.getByRole('button', { name: 'Refresh' }).press('Enter');
    return (await (await request).response())?.json();
  };
  const arrive = async (path = '/admin/now') => {
    const root = await arriveAsAdministrator(world, visit, path);
    await heading(visit, 'Live metrics');
    await chart('Sign-ins').waitFor();
    return root;
  };
  /** Another replica that wrote its statistics `seen` seconds ago. */
  const tells = (worker: number, numbers: object, { seen = 0, started = 600, version = 'v2' } = {}) =>
    world.service.sql(
      `INSERT INTO replica_statistics (worker_id, version, started_at, seen_at, numbers)
       SELECT $1, $2, now() - $3 * interval '1 second', now() - $4 * interval '1 second', numbers || $5::jsonb
       FROM replica_statistics WHERE worker_id < 2000 LIMIT 1
       ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at, version = excluded.version,
         started_at = CASE WHEN $3 < 600 THEN excluded.started_at ELSE replica_statistics.started_at END,
         numbers = excluded.numbers`,
      [worker, version, started, seen, JSON.stringify(numbers)],
    );

  test('activity appears: requests, errors by code, sign-ins, sockets, email', async () => {
    const { service } = world;
    await arrive();
    await visit.waitForGateway();
    const before = await refresh();
    await shows('Sign-ins', '0');
    const alice = await person(service);
    await signIn(service, alice);
    expectApiError(await service.anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
    const { client } = await GatewayClient.identify(service, alice.authorization);
    const after = await refresh();
    await shows('Sign-ins', '2');
    await shows('Errors', '2');
    expect(after.total.gateway_sockets).toBe(before.total.gateway_sockets + 1);
    await shows('WebSocket connections', String(after.total.gateway_sockets));
    await shows('Queued emails', String(after.mail_waiting));
    const [code, meaning, late, ever] = await cells('Errors by code', 'UNAUTHORIZED');
    expect([code, late, ever]).toEqual(['UNAUTHORIZED', '2', String(after.total.refusals.UNAUTHORIZED)]);
    expect(meaning).toContain('You’re not signed in');
    expect(Number(await figure('Requests per second').innerText())).toBeGreaterThan(0);
    expect(await figure('Event loop delay (p99)').innerText()).toMatch(/^[\d.,]+ ms$/);
    const picture = chart('Sign-ins').getByRole('img');
    expect(await picture.getAttribute('aria-label')).toMatch(/^Sign-ins: Min \d · Max 2$/);
    expect(await picture.locator('text').count()).toBeLessThanOrEqual(10);
    await chart('Sign-ins').locator('summary').press('Enter');
    await table('Sign-ins').waitFor();
    const rows = await table('Sign-ins').getByRole('row').allInnerTexts();
    // A new minute can start between the two sign-ins and the table.
    expect(rows.slice(1).map((row) => Number(row.split('\t').at(-1)))).toContain(2);
    expect(rows.length).toBeLessThanOrEqual(3);
    await visit.look('admin-now');
    client.socket.terminate();
    await visit.leave();
  });

  test('replicas are shown separately and together; a restarted one counts from zero', async () => {
    const { service } = world;
    await arrive();
    await tells(2000, { requests: 1000, signIns: 40, refusals: { NOT_FOUND: 7 }, gatewaySockets: 3 }, { seen: 10 });
    await refresh();
    await visit.page.getByText('Replicas are running different versions: dev, v2').waitFor();
    await shows('Sign-ins', '0');
    await tells(2000, { requests: 1500, signIns: 45, refusals: { NOT_FOUND: 9 }, gatewaySockets: 3 }, { seen: 5 });
    await refresh();
    await shows('Sign-ins', '5');
    await shows('Errors', '2');
    await visit.page.getByLabel('Replica', { exact: true }).selectOption({ label: 'Replica 2000' });
    await visit.page.waitForURL(/replica=2000/);
    // 500 requests between the reports of ten seconds ago and of five seconds ago.
    expect(Number(await figure('Requests per second').innerText())).toBeGreaterThan(50);
    await shows('WebSocket connections', '3');
    expect(await chart('Queued emails').count()).toBe(0);
    await tells(2000, { requests: 30, signIns: 4, refusals: {}, gatewaySockets: 1 }, { started: 3, version: 'v3' });
    await refresh();
    await shows('Sign-ins', '9');
    await shows('Errors', '2');
    expect(Number(await figure('Requests per second').innerText())).toBeCloseTo(10, 1);
    // Errors from before the restart of the replica still count.
    const [, , late, ever] = await cells('Errors by code', 'NOT_FOUND');
    expect([late, ever]).toEqual(['2', '0']);
    const replica = await cells('Replicas', '2000');
    expect(replica.slice(0, 3)).toEqual(['2000', 'v3', expect.stringMatching(/^\d+ seconds$/)]);
    await visit.look('admin-now-replica');
    await service.sql(`UPDATE replica_statistics SET seen_at = now() - interval '30 seconds' WHERE worker_id = 2000`);
    await refresh();
    await visit.page.getByText('Replica 2000 is offline.').waitFor();
    await shows('Sign-ins', '9');
    await visit.look('admin-now-gone');
    await visit.leave();
  });

  test('an hour is kept by minute in the tab, also after a reload, and each chart shows since when', async () => {
    const { service } = world;
    const { page } = visit;
    await page.clock.install();
    await arrive();
    await shows('Sign-ins', '0');
    await signIn(service, await person(service));
    await refresh();
    await shows('Sign-ins', '2');
    const since = await chart('Sign-ins')
      .getByText(/^Since /)
      .innerText();
    for (let minutes = 0; minutes < 3; minutes++) {
      const poll = answered();
      await page.clock.fastForward(60_000);
      await poll;
    }
    await page.reload();
    await shows('Sign-ins', '2');
    expect(
      await chart('Sign-ins')
        .getByText(/^Since /)
        .innerText(),
    ).toBe(since);
    await chart('Sign-ins').locator('summary').press('Enter');
    const rows = await table('Sign-ins').getByRole('row').allInnerTexts();
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.slice(1).reduce((sum, row) => sum + Number(row.split('\t').at(-1)), 0)).toBe(2);
    await visit.look('admin-now-hour');
    const poll = answered();
    await page.clock.fastForward(70 * 60_000);
    await poll;
    await shows('Sign-ins', '0');
    await visit.leave();
  });

  test('it is requested every five seconds while visible, and not while hidden', async () => {
    const { page } = visit;
    await page.clock.install();
    await arrive();
    let requested = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(STATISTICS)) requested++;
    });
    const poll = answered();
    await page.clock.fastForward(POLL_MS);
    await poll;
    const turn = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await turn(true);
    const before = requested;
    await page.clock.fastForward(POLL_MS * 4);
    expect(requested).toBe(before);
    const back = answered();
    await turn(false);
    await back;
    expect(requested).toBe(before + 1);
    await page.getByRole('link', { name: 'Access checker' }).click();
    await heading(visit, 'Access checker');
    await page.clock.fastForward(POLL_MS * 4);
    expect(requested).toBe(before + 1);
    await visit.leave();
  });

  test('a failed request shows an error, the last data stays, and the next response clears the error', async () => {
    const { page, context } = visit;
    await page.clock.install();
    await arrive();
    // The page cannot load another language while it is offline, so the test loads both before that.
    for (const language of ['ar', 'en-US']) {
      const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await chooseLanguage(page, language);
      await saved;
    }
    await context.setOffline(true);
    await page.clock.fastForward(POLL_MS);
    await page.getByText('Connection lost. Showing the last data. Retrying…').waitFor();
    await page.getByText('You’re offline.', { exact: false }).waitFor();
    expect(await chart('Sign-ins').count()).toBe(1);
    await visit.look('admin-now-lost');
    await context.setOffline(false);
    await page.clock.fastForward(POLL_MS);
    await page.getByText('Connection lost. Showing the last data.').waitFor({ state: 'detached' });
    await visit.leave();
  });

  test('without instance:config:view there is no view, and the request is rejected', async () => {
    const clerk = await arriveAsAdministrator(world, visit, '/admin/now', 'user:lookup');
    await visit.page.getByText('This page doesn’t exist, or you don’t have access to it.').waitFor();
    expect(await visit.page.getByRole('link', { name: 'Live metrics' }).count()).toBe(0);
    expectApiError(await world.service.as(clerk).get(STATISTICS), 'MISSING_ACL');
    const viewer = await administrator(world.service, 'instance:config:view');
    expect((await world.service.as(viewer).get(STATISTICS)).status).toBe(200);
    await visit.leave();
  });
});
