import { featureRegistry } from '../../src/features.js';
import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Asking, allowing, asking, question, signedInAs } from '../machine/consent-application.js';
import { type Site, site } from '../machine/pages.js';
import { person, signIn } from '../support/index.js';

const NOTES = {
  'en-US': 'Read your <i>notes</i>',
  de: 'Ihre Notizen lesen',
  pt: 'Ler suas notas',
  'fr-CA': 'Lire vos notes',
};
const notes = defineFeature('notes', {
  scopes: { 'notes.read': NOTES, 'notes.write': { 'en-US': 'Write notes for you' } },
});

describe('oauth 2 texts of extension scopes', () => {
  test.each([
    ['none', undefined, 'has no text in en-US'],
    ['none in English', { de: 'Ihre Notizen lesen' }, 'has no text in en-US'],
    ['an empty one', { 'en-US': ' ' }, 'has an invalid text in en-US'],
    ['two lines', { 'en-US': 'a\nb' }, 'has an invalid text in en-US'],
    ['too many', { 'en-US': 'x'.repeat(201) }, 'at most 200 characters'],
    [
      'those of a language that is written otherwise',
      { 'en-US': 'Read', 'DE-de': 'Lesen' },
      'has an invalid text in DE-de',
    ],
    ['those of no language', { 'en-US': 'Read', '': 'Lesen' }, 'has an invalid text in'],
  ])('%s: the scope is rejected', (_, words, message) => {
    const faulty = defineFeature('faulty', { scopes: { 'faulty.read': words as never } });
    expect(() => featureRegistry({ features: [faulty] })).toThrow(message);
  });
});

describeInBrowser('oauth 5.2 the consent page: extension scopes', () => {
  let world: Site;
  let app: Asking;
  beforeAll(async () => {
    world = await site({ features: [notes] });
    app = await asking(world.service, async () => ({}));
  });
  afterAll(async () => {
    app?.close();
    await world?.close();
  });

  test('the metadata of the service contains the texts of extension scopes', async () => {
    const { body } = await world.service.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.scopes_supported.slice(-3)).toEqual(['offline_access', 'notes.read', 'notes.write']);
    expect(body.scope_descriptions).toEqual({
      'notes.read': NOTES,
      'notes.write': { 'en-US': 'Write notes for you' },
    });
  });

  test.each([
    ['de-AT', ['Ihre Notizen lesen', 'Write notes for you']],
    ['pt-BR', ['Ler suas notas', 'Write notes for you']],
    ['fr-FR', ['Lire vos notes', 'Write notes for you']],
    ['ar', ['Read your <i>notes</i>', 'Write notes for you']],
  ])('in %s they are shown in that language if there is a text, otherwise in English', async (locale, words) => {
    const visit = await world.visit({ locale });
    const una = await person(world.service, 'una');
    await signedInAs(visit.page, await signIn(world.service, una));
    await visit.open(app.path({ scope: 'notes.write notes.read' }));
    await visit.page.getByRole('listitem').first().waitFor();
    expect((await visit.page.getByRole('listitem').allTextContents()).sort()).toEqual([...words].sort());
    if (locale === 'ar') await visit.look('consent-scopes');
    await visit.leave();
  });

  test('they are granted, and an unknown one next to them makes the request invalid', async () => {
    const visit = await world.visit();
    await signedInAs(visit.page, await signIn(world.service, await person(world.service, 'vic')));
    await visit.open(app.path({ scope: 'notes.read notes.erase' }));
    await visit.page.getByRole('alert').filter({ hasText: 'permissions it can’t have' }).waitFor();
    await visit.open(app.path({ scope: 'notes.read' }));
    await question(visit.page).waitFor();
    const { body } = await world.service.anonymous.form('/v1/oauth2/token', {
      grant_type: 'authorization_code',
      code: (await allowing(visit.page)).get('code') ?? '',
      redirect_uri: app.redirectUri,
      code_verifier: app.verifier,
      client_id: app.id,
      client_secret: app.secret,
    });
    expect(body.scope).toBe('notes.read');
    await visit.leave();
  });
});
