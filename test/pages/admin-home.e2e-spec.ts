import { ticksUpTo } from '../../web/admin/home/axis.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { logIn, person, signIn } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading } from './driving.js';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [97, [0, 50, 100]],
  [1234, [0, 500, 1000, 1500]],
])('an axis up to %i has at most five round values', (highest, ticks) => {
  expect(ticksUpTo(highest)).toEqual(ticks);
});

const DAILY = '/v1/admin/instance/statistics/daily';

describeInBrowser('web.md 4: the home of the console', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const figure = async (label: string) => {
    const item = visit.page
      .getByRole('list', { name: 'Today' })
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${label}`) });
    return (await item.innerText()).split('\n').map((line) => line.trim());
  };
  const section = (name: string) => visit.page.getByRole('region', { name, exact: true });

  test('numbers of today, the last 30 days, causes of failures, replicas, latest changes', async () => {
    const { service } = world;
    const { page } = visit;
    const alice = await person(service);
    await signIn(service, alice);
    await logIn(service, { email: alice.email, password: 'not the password' });
    await service.sql(
      `INSERT INTO instance_statistics (day, kind, count)
       SELECT current_date - n, kind, 20 + (n * 7) % 13 FROM generate_series(1, 20) n,
         unnest(ARRAY['accounts', 'sign_ins', 'sign_ups', 'failure:RATE_LIMITED']) kind`,
    );
    const root = await arriveAsAdministrator(world, visit, '/admin');
    await heading(visit, 'Home');
    await section('Last 30 days').waitFor();
    const today = (await service.as(root).get(DAILY)).body.days.at(-1);
    expect(await figure('Sign-ins today')).toEqual(['Sign-ins today', String(today.sign_ins), 'Yesterday: 27']);
    expect(await figure('Failed sign-ins today')).toEqual(['Failed sign-ins today', '1', 'Yesterday: 27']);
    expect(await figure('Accounts')).toEqual(['Accounts', '27', `${today.sign_ups} new today`]);
    expect(await figure('Pending sign-ups')).toEqual(['Pending sign-ups', '0']);
    const causes = await section('Why sign-ins failed').getByRole('listitem').allInnerTexts();
    expect(causes).toHaveLength(2);
    expect(causes[1]).toMatch(/\n1$/);
    await section('Replicas').getByRole('link').waitFor();

    await page.getByText('View as table').press('Enter');
    const rows = await section('Last 30 days').getByRole('row').allInnerTexts();
    expect(rows).toHaveLength(31);
    expect(rows[2]?.split('\t').slice(1)).toEqual(['27', '27', '27', '27', '0']);
    await visit.look('admin-home');
    await visit.leave();
  });

  test('steps of the setup that are left, and a change that an administrator has made', async () => {
    const { service } = world;
    const { page } = visit;
    const banned = await person(service, 'banned_one');
    const root = await arriveAsAdministrator(world, visit, '/admin');
    const response = await service.as(root).put(`/v1/admin/users/${banned.id}/ban`, { duration_hours: 1 });
    expect(response.status).toBe(200);
    await page.reload();
    const latest = page.getByRole('list', { name: 'Latest changes' }).getByRole('listitem').first();
    await latest.getByRole('link', { name: 'Suspended' }).waitFor();
    await latest.getByRole('link', { name: /^banned_one#/ }).waitFor();
    await section('Finish setting up').getByText('Email', { exact: true }).waitFor();
    expect(await section('Finish setting up').getByRole('listitem').allInnerTexts()).toEqual(['Email', 'CAPTCHA']);
    await page.getByRole('link', { name: 'Setup checklist' }).last().press('Enter');
    await heading(visit, 'Setup checklist');
    await visit.leave();
  });

  test('an administrator sees only the parts that their permissions allow, and the others are not requested', async () => {
    const { page } = visit;
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(new URL(request.url()).pathname));
    await arriveAsAdministrator(world, visit, '/admin', 'user:lookup');
    await page.getByText('You have 2 permissions:').waitFor();
    expect(await page.getByRole('list', { name: 'Today' }).count()).toBe(0);
    expect(requested.filter((path) => /statistics|audit-logs|config$/.test(path))).toEqual([]);
    await visit.leave();
  });
});
