import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  administrator,
  eraseAccount,
  expectApiError,
  newApp,
  type Persona,
  person,
  setAcls,
  superuser,
  withoutAudit,
} from '../support/index.js';
import { AccountActions, accountPath } from './account-actions.js';

type Method = 'put' | 'patch' | 'post' | 'delete';
type Asked = readonly [method: Method, path: string, body?: object];

/** For each ACL: the buttons of a sound account, the buttons of a troubled account, and their operations. */
const TABLE: Readonly<Record<string, readonly [sound: string[], troubled: string[], operations: Asked[]]>> = {
  'user:temp_ban': [
    ['Suspend'],
    ['Change suspension', 'Lift suspension'],
    [
      ['put', 'ban', { duration_hours: 0 }],
      ['delete', 'ban'],
    ],
  ],
  'user:disable:suspicious': [
    ['Lock account'],
    ['Unlock account'],
    [
      ['put', 'suspicious-activity-disablement', { flags: 255 }],
      ['delete', 'suspicious-activity-disablement'],
    ],
  ],
  'user:update:flags': [
    ['Sign out everywhere', 'Edit flags'],
    ['Sign out everywhere', 'Edit flags'],
    [
      ['delete', 'sessions'],
      ['patch', 'flags', { add_flags: ['1'] }],
    ],
  ],
  'user:update:email': [
    ['Change email', 'Mark email as bouncing'],
    [
      ...['Change email', 'Mark email as verified', 'Clear email bounce'],
      ...['Send verification email', 'Send password reset email'],
    ],
    [
      ['patch', 'email', { email: 'taken.over@example.com' }],
      ['put', 'email-verification'],
      ['put', 'email-bounce', { bounced: false }],
      ['post', 'verification-email'],
      ['post', 'password-reset'],
    ],
  ],
  'user:update:phone': [
    ['Mark phone as verified'],
    ['Remove phone'],
    [['put', 'phone-verification', { has_verified_phone: false }]],
  ],
  'user:update:mfa': [
    [],
    ['Remove app and backup codes'],
    [
      ['delete', 'mfa'],
      ['delete', 'webauthn-credentials/key'],
    ],
  ],
  'user:update:sso': [
    ['Link identity'],
    ['Link identity', 'Unlink identity'],
    [
      ['put', 'sso-identity', { subject: 'somebody' }],
      ['delete', 'sso-identity'],
    ],
  ],
  'acl:set:user': [['Edit permissions'], ['Edit permissions'], [['put', 'acls', { acls: [] }]]],
  'user:update:traits': [['Edit traits'], ['Edit traits'], [['put', 'traits', { traits: [] }]]],
  'user:update:suspicious_activity': [
    ['Edit requirements'],
    ['Edit requirements'],
    [['put', 'suspicious-activity-flags', { flags: 0 }]],
  ],
  'user:delete': [
    ['Schedule deletion'],
    ['Schedule deletion', 'Cancel deletion'],
    [
      ['put', 'deletion', { reason_code: 3 }],
      ['delete', 'deletion'],
    ],
  ],
};
const ACLS = Object.keys(TABLE);
const BESIDE = ['user:lookup', 'user:view:email'];
const [SOUND, TROUBLED] = [0, 1] as const;

const buttonsOf = (which: 0 | 1, acls: readonly string[]): string[] =>
  acls.flatMap((acl) => TABLE[acl]?.[which] ?? []).sort();

describeInBrowser('web.md 4: actions that are not available for an account', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
  let sound: Persona;
  let troubled: Persona;
  beforeAll(async () => {
    world = await site();
    sound = await person(world.service, 'sound');
    troubled = await person(world.service, 'troubled');
    const { sql } = world.service;
    await sql('UPDATE account SET email_verified = true WHERE id = $1', [sound.id]);
    await sql(
      `UPDATE account SET banned = true, flags = $2, email_bounced = true, has_verified_phone = true, totp_secret = 'x',
         deletion_at = now() + interval '9 days', acls = '{user:lookup}', traits = '{captcha_exempt}', suspicious_flags = 3
       WHERE id = $1`,
      [troubled.id, String((1n << 35n) | (1n << 36n) | (1n << 38n))],
    );
    await sql(`INSERT INTO passkey (id, account_id, name, public_key) VALUES ('key', $1, 'key', '\\x00')`, [
      troubled.id,
    ]);
    await sql("INSERT INTO sso_identity (issuer, subject, account_id) VALUES ('https://idp.example', 's', $1)", [
      troubled.id,
    ]);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    actions = new AccountActions(world, visit);
  });

  const shown = async (): Promise<string[]> => (await actions.offered()).sort();
  const state = async () =>
    world.service.sql(
      `SELECT to_jsonb(a) - 'last_active_at' AS account,
         (SELECT count(*)::int FROM session s WHERE s.account_id = a.id AND s.revoked_at IS NULL) AS sessions,
         (SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id) AS passkeys,
         (SELECT count(*)::int FROM sso_identity i WHERE i.account_id = a.id) AS identities,
         (SELECT count(*)::int FROM outbox) AS mails
       FROM account a WHERE a.id = ANY ($1) ORDER BY a.id`,
      [[sound.id, troubled.id]],
    );
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  /** Opens the page of a user, and the passkeys if they are shown. */
  const arrive = async (admin: Persona, target: { readonly id: string }, acls: readonly string[]) => {
    await visit.arrive(`${accountPath(target)}&tab=security`, admin.authorization);
    await actions.head.waitFor();
    if (acls.includes('user:update:mfa')) await button('Show passkeys').press('Enter');
    if (target === troubled && acls.includes('user:update:mfa')) await button('Remove').waitFor();
    else expect(await button('Remove').count()).toBe(0);
  };

  test('every applicable action is available with all permissions', async () => {
    const root = await superuser(world.service);
    await arrive(root, sound, ACLS);
    expect(await shown()).toEqual(
      // A verified and reachable email address needs no verification. Its password can be reset.
      [...buttonsOf(SOUND, ACLS), 'Send password reset email'].sort(),
    );
    await visit.open(accountPath(troubled));
    await actions.main.getByText('Deletion reason').waitFor();
    await visit.look('admin-account-actions-troubled');
    expect(await shown()).toEqual(buttonsOf(TROUBLED, ACLS));
    await actions.menu.press('Enter');
    await visit.look('admin-account-actions-menu');
    await visit.leave();
  });

  test.each(ACLS)('without %s its buttons are absent, and its operations are rejected without effect', async (acl) => {
    const others = ACLS.filter((one) => one !== acl);
    const admin = await administrator(world.service, ...BESIDE, ...others);
    await arrive(admin, troubled, others);
    expect(await shown()).toEqual(buttonsOf(TROUBLED, others));
    const before = await state();
    for (const [method, path, body] of TABLE[acl]?.[2] ?? []) {
      const ask = () => world.service.as(admin)[method](`/v1/admin/users/${troubled.id}/${path}`, body);
      expectApiError(await withoutAudit(world.service, ask), 'MISSING_ACL');
    }
    expect(await state()).toEqual(before);
    await visit.leave();
  });

  test('a read-only administrator has no actions', async () => {
    const admin = await administrator(world.service, ...BESIDE);
    const reported = visit.page.waitForResponse(`**/v1/admin/users/${sound.id}`);
    await visit.arrive(accountPath(sound), admin.authorization);
    await (await reported).finished();
    await visit.page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await actions.head.waitFor();
    expect(await actions.menu.count()).toBe(0);
    await visit.leave();
  });

  test('a hidden email address may be in any state', async () => {
    const admin = await administrator(world.service, 'user:lookup', 'user:update:email');
    await visit.arrive(accountPath(sound), admin.authorization);
    await actions.main.getByText('Hidden. Requires user:view:email.').waitFor();
    expect(await shown()).toEqual(
      [
        ...['Change email', 'Mark email as verified', 'Mark email as bouncing', 'Clear email bounce'],
        ...['Send verification email', 'Send password reset email'],
      ].sort(),
    );
    await visit.leave();
  });

  test('only ACLs that the administrator has can be granted; an account with more cannot be changed', async () => {
    const held = ['user:lookup', 'acl:set:user', 'user:temp_ban'];
    const admin = await administrator(world.service, ...held);
    const target = await person(world.service, 'target');
    await visit.arrive(accountPath(target), admin.authorization);
    await actions.openDialog('Edit permissions');
    const offered = await actions.dialog.getByRole('checkbox').all();
    expect(await Promise.all(offered.map((one) => one.getAttribute('name')))).toEqual([
      'acl.acl:set:user',
      'acl.admin:authenticate',
      'acl.user:lookup',
      'acl.user:temp_ban',
    ]);
    await actions.dialog.getByRole('button', { name: 'Cancel' }).press('Enter');

    await setAcls(world.service, target, ['audit_log:view', 'user:lookup', 'of:no:registry']);
    await visit.open(accountPath(target));
    await actions.main.getByText(/^target#\d{4} has permissions you don’t \(audit_log:view\)\./).waitFor();
    await visit.look('admin-account-actions-beyond');
    expect(await actions.menu.count()).toBe(0);
    const ban = () => world.service.as(admin).put(`/v1/admin/users/${target.id}/ban`, { duration_hours: 1 });
    expectApiError(await withoutAudit(world.service, ban), 'MISSING_ACL');
    await visit.leave();
  });

  test("actions that are rejected on the administrator's own account are not offered", async () => {
    const root = await superuser(world.service);
    await visit.arrive(accountPath(root), root.authorization);
    await actions.main.getByText('This is your account.', { exact: false }).waitFor();
    await visit.look('admin-account-actions-own');
    expect(await shown()).toEqual(
      [...['Mark phone as verified', 'Edit requirements', 'Edit flags', 'Edit traits'], 'Sign out everywhere'].sort(),
    );
    const operations: Asked[] = [
      ['put', 'acls', { acls: [] }],
      ['put', 'ban', { duration_hours: 1 }],
      ['put', 'deletion', { reason_code: 1 }],
      ['put', 'suspicious-activity-disablement', { flags: 0 }],
      ['patch', 'email', { email: 'a.new.one@example.com' }],
      ['delete', 'mfa'],
      ['delete', 'sso-identity'],
    ];
    for (const [method, path, body] of operations) {
      const ask = () => world.service.as(root)[method](`/v1/admin/users/${root.id}/${path}`, body);
      expectApiError(await withoutAudit(world.service, ask), 'ACCESS_DENIED');
    }
    await visit.leave();
  });

  test('a bot has only the actions that apply to it', async () => {
    const root = await superuser(world.service);
    const bot = await newApp(world.service, await person(world.service, 'owner'), { name: 'Robot' });
    await visit.arrive(accountPath(bot), root.authorization);
    await actions.main.getByText(/is a bot. It has no email/).waitFor();
    await visit.look('admin-account-actions-bot');
    expect(await shown()).toEqual(['Edit flags', 'Edit requirements', 'Edit traits', 'Suspend']);
    await actions.openDialog('Suspend');
    await actions.dialog.getByText(/^.+#\d{4}’s token stops working until the suspension ends\.$/).waitFor();
    await visit.leave();
  });

  test('a deleted account has no actions', async () => {
    const root = await superuser(world.service);
    const gone = await person(world.service, 'gone');
    await eraseAccount(world.service, gone);
    await visit.arrive(accountPath(gone), root.authorization);
    await actions.main.getByText('This account was permanently deleted', { exact: false }).waitFor();
    expect(await actions.menu.count()).toBe(0);
    await visit.leave();
  });
});
