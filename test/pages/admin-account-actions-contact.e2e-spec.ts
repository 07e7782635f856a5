import { describeInBrowser } from '../machine/browser.js';
import { connect } from '../machine/connections.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  configureSso,
  inboxOf,
  mailTo,
  type Persona,
  passkeyAsSecondFactor,
  person,
  ScriptedProvider,
  SoftwareAuthenticator,
  superuser,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { AccountActions, accountPath, REASON } from './account-actions.js';

const ISSUER = 'https://localhost:9443';

describeInBrowser('web.md 4: contact and sign-in methods of an account', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
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
    actions = new AccountActions(world, visit);
  });

  const arrive = () => visit.arrive(accountPath(alice), root.authorization);
  const user = async () => (await world.service.as(root).get(`/v1/admin/users/${alice.id}`)).body.users[0];
  const field = (label: string) => actions.dialog.getByLabel(label, { exact: true });
  const expectEntry = (action: string, metadata?: object) => actions.expectEntry(root, alice, action, metadata);
  const change = (columns: string) => world.service.sql(`UPDATE account SET ${columns} WHERE id = $1`, [alice.id]);
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const signIn = () => visit.page.getByRole('region', { name: 'Signing in', exact: true });
  const identity = (subject: string) =>
    visit.page.getByRole('list', { name: 'Linked identities' }).getByRole('listitem').filter({ hasText: subject });
  const identities = async () =>
    (await world.service.as(root).get(`/v1/admin/users/${alice.id}/sso-identity`)).body.identities;

  test('an address is changed; a taken one is rejected, and the input stays', async () => {
    const other = await person(world.service, 'other');
    await arrive();
    await actions.openDialog('Change email');
    await field('New email').fill(other.email);
    await actions.enterReason();
    await actions.submit('Change email');
    await actions.dialog.getByText('Another account already uses this email.', { exact: true }).waitFor();
    expect([await field('New email').inputValue(), await field('Reason').inputValue()]).toEqual([other.email, REASON]);
    expect((await user()).email).toBe(alice.email);
    await visit.look('admin-account-actions-address-refused');
    const email = `new.${alice.email}`;
    await field('New email').fill(email);
    await actions.submit('Change email');
    await actions.waitForDone('Email changed');
    await actions.head.getByText(email).waitFor();
    await actions.head.getByText('Email not verified').waitFor();
    expect(await user()).toMatchObject({ email, email_verified: false });
    await expectEntry('change_email', { old_email: alice.email, new_email: email });
    await visit.leave();
  });

  test('an address is marked as verified, as bouncing and as reachable', async () => {
    const { email } = alice;
    await arrive();
    await actions.run('Mark email as verified', 'Email marked as verified');
    await actions.head.getByText('Email not verified').waitFor({ state: 'detached' });
    expect(await user()).toMatchObject({ email_verified: true });
    await expectEntry('verify_email', { email });
    const gone = ['Mark email as verified', 'Send verification email', 'Clear email bounce'];
    const offered = await actions.offered();
    expect(gone.filter((name) => offered.includes(name))).toEqual([]);

    await actions.run('Mark email as bouncing', 'Email marked as bouncing');
    await actions.head.getByText('Email bouncing').waitFor();
    expect(await user()).toMatchObject({ email_verified: false, email_bounced: true });
    await expectEntry('set_email_bounce', { bounced: 'true' });

    await actions.run('Clear email bounce', 'Bounce cleared');
    await actions.head.getByText('Email bouncing').waitFor({ state: 'detached' });
    expect(await user()).toMatchObject({ email_verified: false, email_bounced: false });
    await expectEntry('set_email_bounce', { bounced: 'false' });
    await visit.leave();
  });

  test('emails are sent to the user', async () => {
    const { email } = alice;
    const before = (await inboxOf(world.service, email, 'email_verification')).length;
    await arrive();
    await actions.run('Send verification email', 'Verification email sent');
    await mailTo(world.service, email, 'email_verification', before + 1);
    await expectEntry('resend_verification_email', { email });
    await actions.run('Send password reset email', 'Password reset email sent');
    await mailTo(world.service, email, 'password_reset');
    await expectEntry('send_password_reset', { email });
    await visit.leave();
  });

  test('too many emails are rejected; the dialog and its input stay', async () => {
    const send = () => world.service.as(root).post(`/v1/admin/users/${alice.id}/password-reset`).expect(204);
    for (let sent = 0; sent < 3; sent++) await send();
    await arrive();
    await actions.openDialog('Send password reset email');
    await actions.enterReason();
    await actions.submit('Send password reset email');
    await actions.dialog.getByRole('alert').waitFor();
    expect(await field('Reason').inputValue()).toBe(REASON);
    await visit.leave();
  });

  test('without an email address there is nothing to mark or send', async () => {
    await change('email = NULL');
    await arrive();
    await actions.head.waitFor();
    const offered = await actions.offered();
    expect(offered).toContain('Change email');
    const gone = [
      'Mark email as verified',
      'Mark email as bouncing',
      'Send verification email',
      'Send password reset email',
    ];
    expect(gone.filter((name) => offered.includes(name))).toEqual([]);
    await visit.leave();
  });

  test('a number is marked as verified, and deleted', async () => {
    await arrive();
    await actions.run('Mark phone as verified', 'Phone marked as verified');
    const contact = visit.page.getByRole('region', { name: 'Contact', exact: true });
    expect(await contact.innerText()).toMatch(/Verified phone\s+Yes/);
    expect((await user()).has_verified_phone).toBe(true);
    await expectEntry('update_has_verified_phone', { before: 'false', after: 'true' });
    await actions.run('Remove phone', 'Phone removed');
    expect(await contact.innerText()).toMatch(/Verified phone\s+No/);
    expect((await user()).has_verified_phone).toBe(false);
    await expectEntry('update_has_verified_phone', { before: 'true', after: 'false' });
    await visit.leave();
  });

  test('authenticator app and backup codes are removed', async () => {
    alice = await verifiedPerson(world.service, 'alice');
    await withTotp(world.service, alice);
    await arrive();
    await actions.openTab('Security');
    expect(await signIn().innerText()).toMatch(/Authenticator app\s+Yes/);
    await actions.run('Remove app and backup codes', 'App and backup codes removed');
    expect(await signIn().innerText()).toMatch(/Authenticator app\s+No/);
    expect(await user()).toMatchObject({ has_totp: false });
    expect(await world.service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toEqual([]);
    await expectEntry('disable_mfa');
    expect(await actions.offered()).not.toContain('Remove app and backup codes');
    await visit.leave();
  });

  test('passkeys are shown on request, and removed', async () => {
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
    await actions.openTab('Security');
    expect(await signIn().innerText()).toMatch(/Passkey required after password\s+Yes/);
    expect(await looks()).toBe(before);
    await button('Show passkeys').press('Enter');
    await button('Remove').waitFor();
    expect(await looks()).toBe(before + 1);
    await visit.look('admin-account-actions-passkeys');
    const [row] = await world.service.sql('SELECT id FROM passkey WHERE account_id = $1', [alice.id]);
    await button('Remove').press('Enter');
    await actions.dialog.waitFor();
    await actions.dialog.getByText(/^alice\d+#\d{4} can’t sign in with “key” anymore/).waitFor();
    await actions.enterReason();
    await actions.submit('Remove');
    await actions.waitForDone('Passkey removed');
    await actions.main.getByText('No passkeys', { exact: true }).waitFor();
    expect(await signIn().innerText()).toMatch(/Passkey required after password\s+No/);
    expect(await world.service.sql('SELECT 1 FROM passkey WHERE account_id = $1', [alice.id])).toEqual([]);
    await expectEntry('delete_webauthn_credential', { credential_id: row?.id });
    await visit.page.locator('section.section:focus').waitFor();
    await visit.leave();
  });

  test('a single sign-on identity is linked and unlinked; one of another account is rejected', async () => {
    const other = await person(world.service, 'other');
    const link = { subject: 'somebody else' };
    await world.service.as(root).put(`/v1/admin/users/${other.id}/sso-identity`, link).expect(200);
    await arrive();
    await actions.openTab('Security');
    await actions.openDialog('Link identity');
    await field('Subject (sub) from the provider').fill('somebody else');
    await actions.enterReason();
    await actions.submit('Link identity');
    await actions.dialog.getByText('This identity is linked to another account', { exact: false }).waitFor();
    expect(await field('Subject (sub) from the provider').inputValue()).toBe('somebody else');
    expect(await identities()).toEqual([]);
    await field('Subject (sub) from the provider').fill('alice-7');
    await actions.submit('Link identity');
    await actions.waitForDone('Identity linked');
    await identity('alice-7').getByText(ISSUER, { exact: true }).waitFor();
    expect(await identities()).toEqual([{ connection_id: null, issuer: ISSUER, subject: 'alice-7' }]);
    await expectEntry('link_sso_identity', { issuer: ISSUER, subject: 'alice-7' });
    await actions.run('Unlink identity', 'Identity unlinked');
    await actions.main.getByText('Not linked', { exact: true }).waitFor();
    expect(await identities()).toEqual([]);
    await expectEntry('unlink_sso_identity', { issuer: ISSUER, subject: 'alice-7' });
    expect(await actions.offered()).not.toContain('Unlink identity');
    await visit.leave();
  });

  test('an identity of a connection is shown with the connection, and is unlinked', async () => {
    const provider = await ScriptedProvider.start();
    await connect(world.service, root, provider, { enabled: false });
    await provider.stop();
    const { issuer } = provider;
    await world.service.sql(
      `INSERT INTO connection_identity (id, connection_id, issuer, subject, account_id) VALUES (7, 'corp', $1, 'a-7', $2)`,
      [issuer, alice.id],
    );
    await arrive();
    await actions.openTab('Security');
    await identity('a-7').getByText('corp', { exact: true }).waitFor();
    await identity('a-7').getByRole('button', { name: 'Unlink' }).click();
    await actions.dialog.getByText('can’t sign in with “corp” anymore', { exact: false }).waitFor();
    await actions.enterReason();
    await actions.submit('Unlink');
    await actions.waitForDone('Identity unlinked');
    await actions.main.getByText('Not linked', { exact: true }).waitFor();
    expect(await identities()).toEqual([]);
    await expectEntry('unlink_identity', { connection_id: 'corp', issuer, subject: 'a-7' });
    await visit.leave();
  });
});
