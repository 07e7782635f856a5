import { Webhook } from 'standardwebhooks';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { auditOf, EventReceiver, eventually } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { type } from './driving.js';

describeInBrowser('outgoing events: /admin/events', () => {
  let world: Site;
  let visit: Visit;
  let receiver: EventReceiver;
  beforeAll(async () => {
    receiver = await EventReceiver.start();
    world = await site({ env: { OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES: 'true' } });
  });
  afterAll(async () => {
    await world?.close();
    await receiver?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit();
  });

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const said = (text: string | RegExp) => visit.page.getByText(text).first().waitFor();

  test('an endpoint is created, tested, replayed, rotated, disabled and deleted, by keyboard', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin/events');
    await said('No endpoints yet');
    await button('New endpoint').press('Enter');
    await type(page, 'url', receiver.url);
    await page.keyboard.press('Tab');
    await page.keyboard.type('CRM');
    await page.locator('[name="type.account.created"]').press('Space');
    await visit.look('admin-events-create');
    await button('Create endpoint').press('Enter');
    const secret = await dialog().locator('code').filter({ hasText: 'whsec_' }).innerText();
    await dialog().getByRole('button').last().press('Enter');
    await page.waitForURL((url) => url.searchParams.has('id'));
    await said('No deliveries yet');

    await button('Send test event').press('Enter');
    const sent = await eventually('the test event', async () => receiver.received[0]);
    new Webhook(secret).verify(sent.body, sent.headers as Record<string, string>);
    await eventually('the delivered event in the list', async () => {
      await button('Refresh').press('Enter');
      return (await page.getByText('Delivered', { exact: true }).count()) > 0 || undefined;
    });
    await visit.look('admin-events-one');
    await button('Send again').press('Enter');
    await dialog().getByRole('button', { name: 'Send again' }).press('Enter');
    await said('Event sent again');
    await eventually('the replayed event', async () => receiver.received.length === 2 || undefined);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(sent.headers['webhook-id']);

    await button('Replace signing secret').press('Enter');
    await dialog().getByRole('button', { name: 'Replace signing secret' }).press('Enter');
    await said('Signing secret replaced');
    expect(await dialog().locator('code').filter({ hasText: 'whsec_' }).innerText()).not.toBe(secret);
    await dialog().getByRole('button').last().press('Enter');
    await said(/The previous signing secret also signs until/);

    await page.locator('[name=enabled]').press('Space');
    await button('Save changes').press('Enter');
    await said('Endpoint saved');
    await page.locator('h2 ~ .badge.warn').waitFor();
    const { body } = await world.service.as(root).get('/v1/admin/event-endpoints');
    expect(body.event_endpoints).toEqual([expect.objectContaining({ is_disabled: true, description: 'CRM' })]);

    await button('Delete endpoint').press('Enter');
    await dialog().locator('[name=reason]').fill('No longer used');
    await dialog().getByRole('button', { name: 'Delete endpoint' }).press('Enter');
    await said('Endpoint deleted');
    await said('No endpoints yet');
    expect((await auditOf(world.service, 'delete_event_endpoint')).at(-1)).toMatchObject({ reason: 'No longer used' });
    await visit.leave();
  });
});
