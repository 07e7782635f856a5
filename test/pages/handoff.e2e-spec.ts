import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, sessionsOf } from '../support/index.js';
import { heading, tabTo } from './driving.js';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const TITLE = 'Sign in another device';
const QUESTION = 'Sign in this device?';

describeInBrowser('web.md 2: /handoff, on the signed-in side', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  let host = 0;
  let lookups: string[];
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    owner = await person(world.service, 'owner');
    lookups = [];
    visit.context.on('request', (request) => {
      if (request.url().endsWith('/info')) lookups.push(request.url());
    });
  });
  afterEach(() => visit.leave());

  /** Another device that waits for approval. */
  const waiting = async () => {
    const device = world.service.anonymous.from(`127.0.45.${++host}`).with({ 'user-agent': PHONE });
    const { body } = await device.post('/v1/auth/handoff/initiate');
    const collect = () => device.post(`/v1/auth/handoff/${body.code}/status`, { poll_secret: body.poll_secret });
    return { code: body.code as string, confirmation: body.confirmation as string, device, collect };
  };
  const approve = async (confirmation: string) => {
    await visit.page.fill('input[name=confirmation]', confirmation);
    await press('Approve');
  };
  const press = (name: string) => visit.page.getByRole('button', { name, exact: true }).click();

  test('only by keyboard: the code is typed, the device is shown, and it is signed in', async () => {
    const { page } = visit;
    const { code, confirmation, collect } = await waiting();
    await visit.arrive('/handoff', owner.authorization);
    await heading(visit, TITLE);
    await page.waitForSelector('input[name=code]');
    await visit.look('handoff');
    await tabTo(visit, 'code');
    await page.keyboard.type(code.toLowerCase().replace('-', ' '));
    await page.keyboard.press('Enter');
    await heading(visit, QUESTION);
    await page.getByText(`You’ll be signed in on it as ${owner.username}.`).waitFor();
    const [browser, system, device, network, time, shown] = await page.locator('dd').allInnerTexts();
    expect([browser, system, device, network]).toEqual(['Safari', 'iOS', 'Phone or tablet', '127.0.x.x']);
    expect([time, shown]).toEqual([expect.stringMatching(/\d:\d\d/), code]);
    await visit.look('handoff-question');
    expect((await collect()).body).toEqual({ status: 'pending' });
    await tabTo(visit, 'confirmation');
    await page.keyboard.type('4');
    await tabTo(visit, 'Approve');
    await page.keyboard.press('Enter');
    await page.getByText('Enter the two digits shown next to the code').waitFor();
    await visit.look('handoff-question-malformed');
    expect((await collect()).body).toEqual({ status: 'pending' });
    await page.focus('input[name=confirmation]');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(confirmation);
    await tabTo(visit, 'Approve');
    await page.keyboard.press('Enter');
    await heading(visit, 'Device approved');
    await visit.look('handoff-approved');
    expect((await collect()).body).toMatchObject({ status: 'completed', user_id: owner.id });
    await page.reload();
    await heading(visit, 'Device approved');
    expect(lookups).toHaveLength(1);
  });

  test('the link of the QR code asks immediately, a reload does not look it up again, and declining ends the code', async () => {
    const { page } = visit;
    const { code, collect } = await waiting();
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await heading(visit, QUESTION);
    expect(page.url()).toBe(`${world.origin}/handoff`);
    for (let reloads = 0; reloads < 4; reloads++) {
      await page.reload();
      await heading(visit, QUESTION);
    }
    expect(lookups).toHaveLength(1);
    await press('Decline');
    await heading(visit, 'Declined');
    await visit.look('handoff-refused');
    expect((await collect()).body).toEqual({ status: 'expired' });
    expect(await sessionsOf(world.service, owner)).toBe(1);
    await press('Enter a different code');
    await heading(visit, TITLE);
    expect(await page.inputValue('input[name=code]')).toBe('');
  });

  test('a signed-out user signs in first, and returns with the code', async () => {
    const { page } = visit;
    const { code, confirmation, collect } = await waiting();
    await visit.open(`/handoff#code=${code}`);
    await page.waitForURL((url) => url.pathname === '/login');
    expect(page.url()).not.toContain(code);
    await page.fill('input[name=email]', owner.email);
    await page.fill('input[name=password]', owner.password);
    await page.keyboard.press('Enter');
    await heading(visit, QUESTION);
    await approve(confirmation);
    await heading(visit, 'Device approved');
    expect((await collect()).body.status).toBe('completed');
  });

  test('wrong, malformed and expired codes have different messages and stay for correction', async () => {
    const { page } = visit;
    const { code, confirmation } = await waiting();
    await visit.arrive('/handoff', owner.authorization);
    await page.fill('input[name=code]', 'ABC-DEF');
    await page.keyboard.press('Enter');
    await page.getByText('The code has 12 letters and numbers.').waitFor();
    expect(lookups).toEqual([]);
    await visit.look('handoff-malformed');
    await page.fill('input[name=code]', 'ABCDEF-ABCDEF');
    await page.focus('input[name=code]');
    await page.keyboard.press('Enter');
    await page.getByText('This code is incorrect or more than five minutes old.').waitFor();
    expect(await page.inputValue('input[name=code]')).toBe('ABCDEF-ABCDEF');
    await visit.look('handoff-wrong');
    await page.fill('input[name=code]', code);
    await page.focus('input[name=code]');
    await page.keyboard.press('Enter');
    await heading(visit, QUESTION);
    await world.service.sql("UPDATE one_time_secret SET created_at = created_at - interval '6 minutes'");
    await approve(confirmation);
    await heading(visit, 'This code has expired');
    await visit.look('handoff-gone');
    await page.reload();
    await heading(visit, 'This code has expired');
  });

  test('a code that was looked up three times, and a network with too many attempts, are blocked', async () => {
    const { code, device } = await waiting();
    for (let times = 0; times < 3; times++) await device.get(`/v1/auth/handoff/${code}/info`);
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await visit.page.getByText('Too many attempts. Get a new code').waitFor();
    await visit.look('handoff-blocked');
    // A reload does not look up the failed code again.
    await visit.page.reload();
    await visit.page.waitForSelector('input[name=code]');
    expect(lookups).toHaveLength(1);
  });

  test('a wrong number ends the code and signs no device in', async () => {
    const { code, confirmation, collect } = await waiting();
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await heading(visit, QUESTION);
    await approve(confirmation === '42' ? '43' : '42');
    await heading(visit, 'This code has expired');
    expect((await collect()).body).toEqual({ status: 'expired' });
    expect(await sessionsOf(world.service, owner)).toBe(1);
  });

  test('text of a link that does not have the form of a code is not shown', async () => {
    await visit.arrive(`/handoff#code=${encodeURIComponent('CALL +1 555 0100')}`, owner.authorization);
    await visit.page.getByText('The code has 12 letters and numbers.').waitFor();
    expect(await visit.page.inputValue('input[name=code]')).toBe('');
    expect(await visit.page.content()).not.toMatch(/555.{1,3}0100/);
    expect(lookups).toEqual([]);
  });

  test('a code that was approved on another page is reported', async () => {
    const { code, confirmation } = await waiting();
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await heading(visit, QUESTION);
    const { status } = await world.service.as(owner).post('/v1/auth/handoff/complete', { code, user_id: owner.id });
    expect(status).toBe(204);
    await approve(confirmation);
    await heading(visit, 'This code has expired');
  });

  test('a double press sends it once; offline shows an error and continues later', async () => {
    const { page } = visit;
    const { code, confirmation, collect } = await waiting();
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/complete')) requests++;
    });
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await heading(visit, QUESTION);
    await page.getByText('You’ll be signed in on it as').waitFor();
    await visit.context.setOffline(true);
    await approve(confirmation);
    await page.getByText('You’re offline.').waitFor();
    await visit.context.setOffline(false);
    expect((await collect()).body).toEqual({ status: 'pending' });
    requests = 0;
    await page.getByRole('button', { name: 'Approve' }).dblclick();
    await heading(visit, 'Device approved');
    expect(requests).toBe(1);
  });

  test('a user whose session ends elsewhere signs in again, and the code is kept', async () => {
    const { page } = visit;
    const { code } = await waiting();
    await visit.arrive(`/handoff#code=${code}`, owner.authorization);
    await heading(visit, QUESTION);
    await visit.waitForGateway();
    await world.service.as(owner).post('/v1/auth/logout');
    await page.waitForURL((url) => url.pathname === '/login' && url.searchParams.has('signed_out'));
    await page.fill('input[name=email]', owner.email);
    await page.fill('input[name=password]', owner.password);
    await page.keyboard.press('Enter');
    await heading(visit, QUESTION);
    expect(lookups).toHaveLength(1);
  });
});
