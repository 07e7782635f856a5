import { featureRegistry } from '../../src/features.js';
import { Database, defineFeature, ExtensionMailer } from '../../src/index.js';
import { notes } from '../fixtures/team/feature.js';
import { SharingModule } from '../fixtures/team/mails.js';
import {
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  inboxOf,
  mailTo,
  type Persona,
  person,
  verifyEmail,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({
    features: [notes],
    modules: [SharingModule],
    env: { WEB_APP_URL: 'https://notes.example' },
  });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const share = (user_id: string, title: string) => service.as(alice).post('/v1/notes/shares', { user_id, title });

/** A user with a verified email address. */
async function reader(username: string, locale?: string): Promise<Persona> {
  const persona = await person(service, username);
  await verifyEmail(service, persona);
  if (locale) expect((await service.as(persona).patch('/v1/users/@me/settings', { locale })).status).toBe(200);
  return persona;
}

describe('emails of an extension', () => {
  test('are in the language of the account, in our design, with user text escaped', async () => {
    const bob = await reader('bob', 'de');
    expect((await share(bob.id, '<b>Milch</b>\n& Brot')).body).toEqual({ is_mailed: true });
    const { subject, text, html, metadata } = await mailTo(service, bob.email, 'notes_shared');
    expect(subject).toBe(`${alice.username} hat eine Notiz mit Ihnen geteilt`);
    expect(text).toContain('„<b>Milch</b> & Brot“ wartet auf Gatehouse auf Sie. Der Link läuft in 24\nStunden ab.');
    expect(text).toContain('Seiten: 1.200');
    expect(text).toMatch(/Notiz lesen:\nhttps:\/\/notes\.example\/notes\/7$/m);
    expect(text).toContain('weil jemand eine Notiz mit Ihrem Konto bei\nGatehouse geteilt hat.');
    expect(text).not.toContain('Sicherheit');
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(html).toContain('&lt;b&gt;Milch&lt;/b&gt; &amp; Brot');
    expect(html).not.toContain('<b>');
    expect(metadata).toEqual({ from: alice.username, title: '<b>Milch</b>\n& Brot', note_id: '7', pages: 1200 });
  });

  test('are completely in English without texts of the language, and in its direction', async () => {
    const carol = await reader('carol', 'ar');
    await share(carol.id, 'Milk');
    const { subject, text, html } = await mailTo(service, carol.email, 'notes_shared');
    expect(subject).toBe(`${alice.username} shared a note with you`);
    expect(text).toContain('Pages: 1,200');
    expect(html).toContain('<html lang="en-US" dir="ltr">');
  });

  test.each<[string, (persona: Persona) => Promise<unknown>]>([
    [
      'whose address is not verified',
      ({ id }) => service.sql('UPDATE account SET email_verified = false WHERE id = $1', [id]),
    ],
    ['whose address bounced', ({ id }) => service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [id])],
    [
      'who wants no other mail than about security',
      (persona) => service.as(persona).patch('/v1/users/@me/settings', { email_notifications: false }),
    ],
  ])('are not sent to a user %s', async (_, make) => {
    const dave = await reader('dave');
    await make(dave);
    expect((await share(dave.id, 'Milk')).body).toEqual({ is_mailed: false });
    expect(await inboxAfterDelivery(service, dave.email, 'notes_shared')).toEqual([]);
  });

  test('no email is sent for an unknown account', async () => {
    expect((await share('17', 'Milk')).body).toEqual({ is_mailed: false });
  });

  test('are not sent for a transaction that is rolled back', async () => {
    const erin = await reader('erin');
    const facts = { from: 'Ada', title: 'Milk', note_id: '7', pages: 1 };
    const failing = service.app.get(Database).transaction(async (tx) => {
      await service.app.get(ExtensionMailer).sendToAccount(tx, erin.id, { type: 'notes_shared', facts });
      throw new Error('after all, no');
    });
    await expect(failing).rejects.toThrow('after all, no');
    expect(await inboxAfterDelivery(service, erin.email, 'notes_shared')).toEqual([]);
  });

  test('can go to addresses without an account; an unregistered email is an error', async () => {
    const facts = { from: 'Ada', title: 'Milk', note_id: '7', pages: 1 };
    const mails = service.app.get(ExtensionMailer);
    const { transaction } = service.app.get(Database);
    const send = (type: 'notes_shared') =>
      transaction.call(service.app.get(Database), (tx) =>
        mails.sendToAddress(tx, 'guest@example.com', { type, facts }),
      );
    await send('notes_shared');
    expect((await mailTo(service, 'guest@example.com', 'notes_shared')).subject).toBe('Ada shared a note with you');
    await expect(send('nothing' as 'notes_shared')).rejects.toThrow('Unknown email nothing');
    expect(await inboxOf(service, 'guest@example.com', 'nothing')).toEqual([]);
  });

  test('are shown in every language in development', async () => {
    expect((await service.anonymous.get('/dev/mails')).text).toContain('/dev/mails?kind=notes_shared');
    expect((await service.anonymous.get('/dev/mails?kind=notes_shared&language=de')).text).toContain('Groceries');
    const { status, text } = await service.anonymous.get('/dev/mails/de/notes_shared');
    expect([status, text]).toEqual([200, expect.stringContaining('Notiz lesen')]);
  });
});

describe('an invalid email stops the startup', () => {
  const said = { subject: 'A', paragraphs: ['B {from}'], reason: 'C' };
  const sample = { from: 'Ada' };
  const link = () => 'https://example.com';
  test.each<[string, string, object, string]>([
    [
      'with the name of one of ours',
      'password_reset',
      { words: { 'en-US': said }, sample },
      'exists already in the feature',
    ],
    [
      'with the name of our text message',
      'phone_verification',
      { words: { 'en-US': said }, sample },
      'must start with notes_',
    ],
    ['with a name of two words', 'note shared', { words: { 'en-US': said }, sample }, 'is not a valid name'],
    ['without English', 'notes_faulty', { words: { de: said }, sample }, 'has no texts in en-US'],
    ['in a language that mails do not speak', 'notes_faulty', { words: { 'en-US': said, ko: said }, sample }, 'in ko'],
    [
      'that says what nobody knows',
      'notes_faulty',
      { words: { 'en-US': said }, sample: {} },
      'notes: the email notes_faulty uses the unknown placeholder {from} in en-US. Add it to sample, or use one of {product}, {validity}',
    ],
    [
      'with a misspelled placeholder',
      'notes_faulty',
      { words: { 'en-US': said }, sample: { form: 'Ada' } },
      "Add it to sample, or use one of {product}, {validity}, {form}. Did you mean 'form'?",
    ],
    [
      'that leads somewhere without words for it',
      'notes_faulty',
      { words: { 'en-US': said }, sample, link },
      'only one of link and action in en-US',
    ],
    [
      'of two lines',
      'notes_faulty',
      { words: { 'en-US': { ...said, subject: 'A\nB' } }, sample },
      'that is not one line',
    ],
    [
      'without a paragraph',
      'notes_faulty',
      { words: { 'en-US': { ...said, paragraphs: [] } }, sample },
      'no paragraph',
    ],
  ])('%s', (_, type, mail, message) => {
    const faulty = defineFeature('notes', { mails: { [type]: mail as never } });
    expect(() => featureRegistry({ features: [faulty] })).toThrow(message);
  });
});
