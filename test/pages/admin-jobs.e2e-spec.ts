import { letters } from '../fixtures/letters/letters.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { auditOf, runJobs } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading } from './driving.js';

describeInBrowser('web.md 4: /admin/jobs', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site({ features: [letters] });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    await world.service.sql('DELETE FROM pgboss_job');
  });
  afterEach(() => visit.leave());

  const insert = (name: string, state: 'created' | 'failed', error: string | null = null) =>
    world.service.sql(
      `INSERT INTO pgboss_job (name, state, data, completed_on, output)
       VALUES ($1, $2::pgboss_job_state, '{"to": "a secret recipient"}', CASE WHEN $2 = 'failed' THEN now() END, $3)`,
      [name, state, error === null ? null : JSON.stringify({ message: error })],
    );
  const arrive = async (path = '/admin/jobs', ...acls: string[]) => {
    const admin = await arriveAsAdministrator(world, visit, path, ...acls);
    await heading(visit, 'Background jobs');
    return admin;
  };
  const list = () => visit.page.getByRole('list', { name: 'Jobs', exact: true }).getByRole('listitem');
  const dialog = () => visit.page.getByRole('dialog');
  const cells = (name: string) =>
    visit.page.getByRole('table').getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts();

  test('failed jobs show their error with controls escaped and no payload, and one is retried with a reason', async () => {
    const { page } = visit;
    await runJobs(world.service);
    await insert('letters:deliver', 'failed', 'Error: \u001b[31mred\u202egnp.exe <b>bold</b>\nline');
    const admin = await arrive();
    await list().first().waitFor();
    const text = await list().first().innerText();
    expect(text).toContain('Error: \\u001b[31mred\\u202egnp.exe <b>bold</b>\\u000aline');
    expect(await page.locator('main').innerText()).not.toContain('a secret recipient');
    expect((await cells('letters:deliver')).slice(1, 4)).toEqual(['0', '0', '1']);
    await visit.look('admin-jobs');
    await page.getByRole('button', { name: 'Retry', exact: true }).press('Enter');
    await dialog().getByText('letters:deliver becomes due now', { exact: false }).waitFor();
    await dialog().locator('[name=reason]').fill('the carrier is back');
    await dialog().getByRole('button', { name: 'Retry', exact: true }).press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('No failed jobs').waitFor();
    expect((await auditOf(world.service, 'retry_job')).at(-1)).toMatchObject({
      admin_user_id: admin.id,
      reason: 'the carrier is back',
    });
    expect(await world.service.sql('SELECT state FROM pgboss_job')).toEqual([{ state: 'retry' }]);
    await page.getByRole('tab', { name: 'Waiting' }).press('Enter');
    await list().first().getByText('letters:deliver').waitFor();
  });

  test('waiting jobs that no feature declares are marked, and the page names the command that deletes them', async () => {
    await world.service.sql(
      `INSERT INTO pgboss_queue (name, policy) VALUES ('old:job', 'standard') ON CONFLICT DO NOTHING`,
    );
    await insert('old:job', 'created');
    await insert('old:job', 'failed', 'Error: old');
    await arrive('/admin/jobs?state=waiting');
    await list().getByText('Not declared').waitFor();
    await visit.page.getByText('gatehouse jobs delete').waitFor();
    await visit.look('admin-jobs-undeclared');
    await visit.page.getByRole('tab', { name: 'Failed' }).press('Enter');
    await list().getByText('Error: old').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(0);
  });

  test('more jobs are loaded with a button, and an administrator who may only look has no button to retry', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => insert('letters:deliver', 'failed', `Error: ${index}`)));
    await arrive('/admin/jobs', 'instance:jobs:view');
    await list().nth(49).waitFor();
    expect(await list().count()).toBe(50);
    expect(await visit.page.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(0);
    await visit.page.getByRole('button', { name: 'Show more' }).press('Enter');
    await list().nth(59).waitFor();
    expect(await list().count()).toBe(60);
  });
});
