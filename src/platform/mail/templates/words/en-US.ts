import type { Words } from './words.js';

export const enUS: Words = {
  minutes: { one: '{count} minute', other: '{count} minutes' },
  hours: { one: '{count} hour', other: '{count} hours' },
  days: { one: '{count} day', other: '{count} days' },
  device: '{browser} on {system}',
  unknownBrowser: 'unknown browser',
  unknownSystem: 'unknown system',
  place: '{address} ({place})',
  unknownPlace: 'unknown location',
  fact: '{label}: {value}',
  labels: { when: 'When', device: 'Device', address: 'Address', until: 'Ends', publicReason: 'Reason' },
  noEnd: 'no end date',
  fallback: 'If the button does not work, open this address in your browser:',
  reason: 'You get this message because it is about the security of your {product} account.',
  links: { support: 'Help', terms: 'Terms of service', privacy: 'Privacy policy' },
  codeClosing:
    'Nobody else needs this code, so do not pass it on. If you did not ask for it, you can ignore this message.',
  email_verification: {
    subject: 'Confirm your e-mail address for {product}',
    intro: 'Please confirm that this address is yours. The link works for {validity}.',
    action: 'Confirm address',
    closing: 'If you did not ask for this, you can ignore this message.',
  },
  password_reset: {
    subject: 'Reset your {product} password',
    intro: 'Somebody asked to reset the password of your account. The link works once, for {validity}.',
    action: 'Choose a new password',
    closing: 'If this was not you, you can ignore this message: your password stays as it is.',
  },
  ip_authorization: {
    subject: 'Confirm a new sign-in to {product}',
    intro:
      'Somebody entered your password from an address that your account has not used before. The sign-in waits for you.',
    confirm: 'If it was you, confirm it within {validity}.',
    action: 'Confirm sign-in',
    closing: 'If it was not you, do not confirm it and reset your password at once: somebody else knows it.',
  },
  email_change_original: {
    subject: 'Confirm the change of your e-mail address',
    intro: 'Enter this code to confirm the change of your e-mail address. It works for {validity}.',
  },
  email_change_new: {
    subject: 'Confirm your new e-mail address',
    intro: 'Enter this code to confirm that this address is yours. It works for {validity}.',
  },
  password_change: {
    subject: 'Confirm the change of your password',
    intro: 'Enter this code to change your password. It works for {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Confirm access to your backup codes',
    intro: 'Enter this code to reach your backup codes. It works for {validity}.',
  },
  email_change_revert: {
    subject: 'The e-mail address of your {product} account was changed',
    intro: 'Your account now uses {email}.',
    undo: 'If this was not you, undo the change within {validity}. That ends every session and removes every second factor.',
    action: 'Undo the change',
  },
  security_notice: {
    subject: 'Security notice from {product}',
    lock: 'If this was not you, lock your account within {validity}: that ends every session and everything that acts for you, and asks for a new password.',
    action: 'This was not me',
  },
  security_digest: {
    intro:
      'So much happened to your account within an hour that we report the rest in one message. Each of these happened at least once:',
  },
  events: {
    password_changed: 'The password of your account was changed.',
    password_reset:
      'The password of your account was reset by a link that was sent to this address. Every session was ended.',
    email_reverted: 'A change of your e-mail address was undone. Every session was ended, every second factor removed.',
    email_changed: 'The e-mail address of your account was changed.',
    totp_enabled: 'An authenticator app was set up for your account.',
    totp_disabled: 'The authenticator app was removed from your account.',
    passkey_added: 'A passkey was added to your account.',
    passkey_removed: 'A passkey was removed from your account.',
    second_factor_enabled: 'A passkey is now asked for when you sign in with your password.',
    second_factor_disabled: 'A passkey is no longer asked for when you sign in with your password.',
    backup_codes_regenerated: 'New backup codes were made for your account. The former ones no longer work.',
    mfa_disabled: 'An administrator removed the authenticator app and the backup codes from your account.',
    account_suspended: 'An administrator suspended your account.',
    account_reinstated: 'The suspension of your account was lifted.',
    suspicious_activity: 'Your account was locked because of suspicious activity. Reset your password to use it again.',
    sso_linked: 'Your account was linked to single sign-on: the owner of this address signed in with it.',
    sso_taken_over:
      'The owner of this address signed in with single sign-on. The address had never been verified, so everything that could sign in to the account before was removed.',
    session_handed_over: 'A new device was signed in to your account. A device that was signed in already let it in.',
    locked_down: 'Your account was locked down: sessions, or everything that acts for you, were ended.',
    credential_leaked:
      'Somebody found a secret of your account, such as a session or a token, and reported it. It no longer works.',
    data_exported: 'Everything that is kept of your account was downloaded.',
    account_deletion_scheduled: 'The deletion of your account was scheduled.',
    deletion_canceled: 'The deletion of your account was canceled. The account stays.',
    account_disabled: 'Your account was disabled. A sign-in enables it again.',
    account_reactivated: 'Your account was disabled and is enabled again, because somebody signed in.',
    suspicious_activity_ended: 'The lock of your account because of suspicious activity was lifted.',
    sso_identity_set: 'An administrator linked your account to an identity of single sign-on.',
    sso_identity_removed: 'An administrator removed the link of your account to single sign-on.',
    permissions_changed: 'An administrator changed your administrator permissions.',
  },
  account_deletion_scheduled: {
    subject: 'Your {product} account will be deleted',
    intro: 'Your account will be deleted on {deadline}.',
    closing: 'If you asked for this yourself, signing in before then cancels it.',
  },
  registration_existing_account: {
    subject: 'You already have a {product} account',
    intro: 'Somebody tried to register with this address, which already belongs to your account. Nothing was changed.',
    closing: 'If it was you, sign in as usual, or reset your password if you have forgotten it.',
  },
  registration_approved: {
    subject: 'Your registration at {product} was approved',
    intro: 'Your registration was approved. You can sign in now.',
    action: 'Sign in',
  },
  registration_rejected: {
    subject: 'Your registration at {product} was rejected',
    intro: 'Your registration was rejected, so you cannot sign in.',
  },
  registration: { reason: 'You get this message because somebody registered at {product} with this email address.' },
  mail_test: {
    subject: 'Test message from {product}',
    intro: 'Mail from {product} arrives here. There is nothing for you to do.',
    reason: 'You receive this message because you asked for it as an administrator of {product}.',
  },
  sms: { phone_verification: '{code} is your {product} code. It works for {validity}.' },
};
