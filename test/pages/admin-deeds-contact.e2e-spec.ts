import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  configureSso,
  inboxOf,
  mailTo,
  type Persona,
  passkeyAsSecondFactor,
  person,
  SoftwareAuthenticator,
  superuser,
  verified,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { Deeds, pageOf, REASON } from './deeds.js';

const ISSUER = 'https://localhost:9443';

describeInBrowser('web.md 4: how an account is reached, and what it signs in with', () => {
  let world: Site;
  let visit: Visit;
  let deeds: Deeds;
  let root: Persona;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site({ env: { SSO_ALLOW_PRIVATE_ADDRESSES: 'true' } });
    root = await superuser(world.service);
    await configureSso(world.service, { issuer: ISSUER });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, `alice${++count}`);
    visit = await world.visit();
    deeds = new Deeds(world, visit);
  });

  const arrive = () => visit.arrive(pageOf(alice), root.authorization);
  const user = async () => (await world.service.as(root).get(`/v1/admin/users/${alice.id}`)).body.users[0];
  const field = (label: string) => deeds.dialog.getByLabel(label, { exact: true });
  const expectEntry = (action: string, metadata?: object) => deeds.expectEntry(root, alice, action, metadata);
  const change = (columns: string) => world.service.sql(`UPDATE account SET ${columns} WHERE id = $1`, [alice.id]);
  const identities = async () =>
    (await world.service.as(root).get(`/v1/admin/users/${alice.id}/sso-identity`)).body.identities;

  test('an address is changed; one that is taken is refused, and what was typed stays', async () => {
    const other = await person(world.service, 'other');
    await arrive();
    await deeds.ask('Change the address');
    await field('New address').fill(other.email);
    await deeds.giveReason();
    await deeds.answer('Change the address');
    await deeds.dialog.getByText('Another account has this address.', { exact: true }).waitFor();
    expect([await field('New address').inputValue(), await field('Reason').inputValue()]).toEqual([
      other.email,
      REASON,
    ]);
    expect((await user()).email).toBe(alice.email);
    await visit.look('admin-deeds-address-refused');
    const email = `new.${alice.email}`;
    await field('New address').fill(email);
    await deeds.answer('Change the address');
    await deeds.isDone('The address was changed');
    await deeds.section.getByText(`${email} · not verified`).waitFor();
    expect(await user()).toMatchObject({ email, email_verified: false });
    await expectEntry('change_email', { old_email: alice.email, new_email: email });
    await visit.leave();
  });

  test('an address counts as verified, and as reached by mail or not', async () => {
    const { email } = alice;
    await arrive();
    await deeds.do('Mark as verified', 'The address counts as verified');
    await deeds.section.getByText(`${email} · verified`, { exact: true }).waitFor();
    expect(await user()).toMatchObject({ email_verified: true });
    await expectEntry('verify_email', { email });
    const gone = ['Mark as verified', 'Mail the verification', 'Mark as reachable'];
    expect(await Promise.all(gone.map((name) => deeds.button(name).count()))).toEqual([0, 0, 0]);

    await deeds.do('Mark as unreachable', 'The address counts as unreachable');
    await deeds.section.getByText(`${email} · not verified · mail does not arrive`, { exact: true }).waitFor();
    expect(await user()).toMatchObject({ email_verified: false, email_bounced: true });
    await expectEntry('set_email_bounce', { bounced: 'true' });

    await deeds.do('Mark as reachable', 'The address counts as reachable');
    await deeds.section.getByText(`${email} · not verified`, { exact: true }).waitFor();
    expect(await user()).toMatchObject({ email_verified: false, email_bounced: false });
    await expectEntry('set_email_bounce', { bounced: 'false' });
    await visit.leave();
  });

  test('mails are sent to the person', async () => {
    const { email } = alice;
    const before = (await inboxOf(world.service, email, 'email_verification')).length;
    await arrive();
    await deeds.do('Mail the verification', 'The mail with the verification is on its way');
    await mailTo(world.service, email, 'email_verification', before + 1);
    await expectEntry('resend_verification_email', { email });
    await deeds.do('Mail a password reset', 'The mail with the password reset is on its way');
    await mailTo(world.service, email, 'password_reset');
    await expectEntry('send_password_reset', { email });
    await visit.leave();
  });

  test('too many mails are refused; the question stays, with what was typed', async () => {
    const send = () => world.service.as(root).post(`/v1/admin/users/${alice.id}/password-reset`).expect(204);
    for (let sent = 0; sent < 3; sent++) await send();
    await arrive();
    await deeds.ask('Mail a password reset');
    await deeds.giveReason();
    await deeds.answer('Mail a password reset');
    await deeds.dialog.getByRole('alert').waitFor();
    expect(await field('Reason').inputValue()).toBe(REASON);
    await visit.leave();
  });

  test('without an address there is nothing to mark and nowhere to mail to', async () => {
    await change('email = NULL');
    await arrive();
    await deeds.section.getByText('There is no address.', { exact: true }).waitFor();
    await deeds.button('Change the address').waitFor();
    const gone = ['Mark as verified', 'Mark as unreachable', 'Mail the verification', 'Mail a password reset'];
    expect(await Promise.all(gone.map((name) => deeds.button(name).count()))).toEqual([0, 0, 0, 0]);
    await visit.leave();
  });

  test('a number counts as verified, and is forgotten', async () => {
    await arrive();
    await deeds.do('Count a number as verified', 'A number counts as verified');
    await deeds.section.getByText('A number is verified.', { exact: true }).waitFor();
    expect((await user()).has_verified_phone).toBe(true);
    await expectEntry('update_has_verified_phone', { before: 'false', after: 'true' });
    await deeds.do('Forget the number', 'The number was forgotten');
    await deeds.section.getByText('No number is verified.', { exact: true }).waitFor();
    expect((await user()).has_verified_phone).toBe(false);
    await expectEntry('update_has_verified_phone', { before: 'true', after: 'false' });
    await visit.leave();
  });

  test('authenticator app and backup codes are removed', async () => {
    alice = await verified(world.service, 'alice');
    await withTotp(world.service, alice);
    await arrive();
    await deeds.section.getByText('An authenticator app is set up.', { exact: true }).waitFor();
    await deeds.do('Remove app and codes', 'App and codes were removed');
    await deeds.section.getByText('There is no app and there are no backup codes.', { exact: true }).waitFor();
    expect(await user()).toMatchObject({ has_totp: false });
    expect(await world.service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toEqual([]);
    await expectEntry('disable_mfa');
    expect(await deeds.button('Remove app and codes').count()).toBe(0);
    await visit.leave();
  });

  test('passkeys are looked at when they are asked for, and removed', async () => {
    const authenticator = await withPasskey(
      world.service,
      alice,
      new SoftwareAuthenticator('ES256', { origin: world.origin }),
    );
    await passkeyAsSecondFactor(world.service, alice, authenticator);
    const looks = async () =>
      (await world.service.sql("SELECT 1 FROM audit_log WHERE action = 'list_webauthn_credentials'")).length;
    const before = await looks();
    await arrive();
    await deeds.section.getByText('Passkeys are the second step, with backup codes.', { exact: true }).waitFor();
    expect(await looks()).toBe(before);
    await deeds.button('Show the passkeys').press('Enter');
    await deeds.button('Remove the passkey').waitFor();
    expect(await looks()).toBe(before + 1);
    await visit.look('admin-deeds-passkeys');
    const [row] = await world.service.sql('SELECT id FROM passkey WHERE account_id = $1', [alice.id]);
    await deeds.ask('Remove the passkey');
    await deeds.dialog.getByText(/^alice\d+#\d{4} cannot sign in by the passkey “key” any more/).waitFor();
    await deeds.giveReason();
    await deeds.answer('Remove the passkey');
    await deeds.isDone('The passkey was removed');
    await deeds.section.getByText('There is no passkey.', { exact: true }).waitFor();
    await deeds.section.getByText('There is no app and there are no backup codes.', { exact: true }).waitFor();
    expect(await world.service.sql('SELECT 1 FROM passkey WHERE account_id = $1', [alice.id])).toEqual([]);
    await expectEntry('delete_webauthn_credential', { credential_id: row?.id });
    await visit.page.waitForFunction("document.activeElement.matches('section.section')");
    await visit.leave();
  });

  test('an identity of single sign-on is linked and unlinked; one of somebody else is refused', async () => {
    const other = await person(world.service, 'other');
    const link = { subject: 'somebody else' };
    await world.service.as(root).put(`/v1/admin/users/${other.id}/sso-identity`, link).expect(200);
    await arrive();
    await deeds.ask('Link an identity');
    await field('Subject at the provider').fill('somebody else');
    await deeds.giveReason();
    await deeds.answer('Link an identity');
    await deeds.dialog.getByText('This identity belongs to another account', { exact: false }).waitFor();
    expect(await field('Subject at the provider').inputValue()).toBe('somebody else');
    expect(await identities()).toEqual([]);
    await field('Subject at the provider').fill('alice-7');
    await deeds.answer('Link an identity');
    await deeds.isDone('The identity was linked');
    await deeds.section.getByText(`alice-7 · ${ISSUER}`, { exact: true }).waitFor();
    expect(await identities()).toEqual([{ issuer: ISSUER, subject: 'alice-7' }]);
    await expectEntry('link_sso_identity', { issuer: ISSUER, subject: 'alice-7' });
    await deeds.do('Unlink', 'The identity was unlinked');
    await deeds.section.getByText('Not linked', { exact: true }).waitFor();
    expect(await identities()).toEqual([]);
    await expectEntry('unlink_sso_identity', { issuer: ISSUER, subject: 'alice-7' });
    expect(await deeds.button('Unlink').count()).toBe(0);
    await visit.leave();
  });
});
