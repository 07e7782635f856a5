import { createHash, randomBytes } from 'node:crypto';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { type Persona, person, sessionsOf } from '../support/index.js';
import { choose, keptIn } from './driving.js';

describeInBrowser('web.md 2: a passkey for another page or an app', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let authenticator: VirtualAuthenticator;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, 'alice');
    visit = await world.visit();
    await visit.open('/forgot');
    authenticator = await VirtualAuthenticator.plugIn(visit.page);
    await authenticator.enroll(world.service, alice);
  });

  /** Begins a ceremony. For a page, stores the data of the ceremony in its tab. */
  async function begin(runner: 'page' | 'native') {
    const nonce = randomBytes(32).toString('base64url');
    const nonce_hash = createHash('sha256').update(nonce).digest('hex');
    const { status, body } = await world.service.anonymous.post('/v1/auth/passkey-bridge', {
      ...{ purpose: 'login', runner, nonce_hash },
    });
    expect(status).toBe(200);
    const kept = JSON.stringify({ ceremony_id: body.ceremony_id, nonce, return_to: '/forgot?done=1' });
    if (runner === 'page')
      await visit.page.evaluate(`sessionStorage.setItem('gatehouse.bridge', ${JSON.stringify(kept)})`);
    return { id: body.ceremony_id as string, nonce, path: `/passkey-bridge#ceremony_id=${body.ceremony_id}` };
  }
  const redeem = (id: string, nonce: string, completion_code: string) =>
    world.service.anonymous.post(`/v1/auth/passkey-bridge/${id}/redeem`, { nonce, completion_code });
  const isSent = () => visit.page.waitForURL((url) => url.search === '?done=1');

  test('the page shows the effect of approval; the passkey then signs in on the requesting page', async () => {
    const { page } = visit;
    const { path } = await begin('page');
    await visit.open(path);
    await page.getByText('you’ll be signed in there with full access to your account').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.getByText('127.0.x.x').waitFor();
    await visit.look('bridge');
    await page.reload();
    await choose(page, 'Use a passkey');
    await isSent();
    expect(await keptIn(page)).toEqual({ tab: expect.stringMatching(/^flx_/), browser: null });
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('declining signs no user in, and the requesting page reports it', async () => {
    const { page } = visit;
    const { path } = await begin('page');
    await visit.open(path);
    await choose(page, 'Decline');
    await page.getByText('You declined to use your passkey.').waitFor();
    await visit.look('bridge-cancelled');
    await page.reload();
    await page.getByText('Nothing to see here.').waitFor();
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });

  test('an app gets a code, which a reload does not lose', async () => {
    const { page } = visit;
    const { path, id, nonce } = await begin('native');
    await visit.open(path);
    await choose(page, 'Use a passkey');
    await page.getByText('into the app where you started').waitFor();
    const code = (await page.textContent('output'))?.trim() ?? '';
    await visit.look('bridge-code');
    await page.reload();
    await page.locator('output').waitFor();
    expect((await page.textContent('output'))?.trim()).toBe(code);
    const { status, body } = await redeem(id, nonce, code);
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'completed', user_id: alice.id } });
    await visit.leave();
  });

  test.each(['CALL +1 555 0100', 'x'.repeat(43)])('a code that only a link brings is not shown: %s', async (text) => {
    await visit.open(`/passkey-bridge#completion_code=${encodeURIComponent(text)}`);
    await visit.page.getByText('It expired or was already answered.').waitFor();
    expect(await visit.page.content()).not.toContain(text);
    await visit.leave();
  });

  test('declining for an app is confirmed here', async () => {
    const { page } = visit;
    const { path } = await begin('native');
    await visit.open(path);
    await choose(page, 'Decline');
    await page.getByText('No one was signed in.').waitFor();
    await visit.look('bridge-refused');
    await visit.leave();
  });

  test('no passkey, and a rejected passkey: both are reported, and the request stays open', async () => {
    const { page } = visit;
    const { path } = await begin('page');
    await authenticator.recognize(false);
    await visit.open(path);
    await choose(page, 'Use a passkey');
    await page.getByText('No passkey was used. Try again or decline.').waitFor();
    await authenticator.recognize(true);
    const [row] = await world.service.sql('SELECT counter FROM passkey WHERE account_id = $1', [alice.id]);
    await world.service.sql('UPDATE passkey SET counter = 4000000 WHERE account_id = $1', [alice.id]);
    await choose(page, 'Use a passkey');
    await page.getByText('We couldn’t verify your passkey.').waitFor();
    await visit.look('bridge-not-accepted');
    await world.service.sql('UPDATE passkey SET counter = $2 WHERE account_id = $1', [alice.id, row?.counter]);
    await choose(page, 'Use a passkey');
    await isSent();
    await visit.leave();
  });

  test('an expired request is explained, before and after the question', async () => {
    const { page } = visit;
    await visit.open('/passkey-bridge#ceremony_id=unknown');
    await page.getByText('It expired or was already answered.').waitFor();
    await visit.look('bridge-gone');
    const { path } = await begin('page');
    await visit.open('/forgot');
    await visit.open(path);
    await page.getByText('Another page or app wants to use your').waitFor();
    await world.service.sql('UPDATE one_time_secret SET expires_at = now()');
    await choose(page, 'Use a passkey');
    await page.getByText('It expired or was already answered.').waitFor();
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });

  test('a ceremony that was not started in this tab is not redeemed here', async () => {
    const { page } = visit;
    let sent = 0;
    await page.route('**/redeem', (route) => {
      sent++;
      return route.continue();
    });
    await visit.open('/auth/passkey#completion_code=stolen&ceremony_id=foreign');
    await page.getByText('This was started somewhere else.').waitFor();
    await visit.look('passkey-not-started-here');
    expect(sent).toBe(0);
    await visit.leave();
  });

  test('an account that is suspended in the meantime is explained', async () => {
    const { page } = visit;
    const { path } = await begin('page');
    await visit.open(path);
    await page.getByText('Another page or app wants to use your').waitFor();
    await world.service.sql('UPDATE account SET banned = true WHERE id = $1', [alice.id]);
    await choose(page, 'Use a passkey');
    await page.getByText('is suspended').waitFor();
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });
});
