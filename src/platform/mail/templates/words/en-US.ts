import type { Words } from './words.js';

export const enUS: Words = {
  minutes: { one: '{count} minute', other: '{count} minutes' },
  hours: { one: '{count} hour', other: '{count} hours' },
  days: { one: '{count} day', other: '{count} days' },
  device: '{browser} on {system}',
  unknownBrowser: 'Unknown browser',
  unknownSystem: 'unknown system',
  place: '{address} ({place})',
  unknownPlace: 'Unknown location',
  fact: '{label}: {value}',
  labels: { when: 'When', device: 'Device', address: 'IP address', until: 'Ends', publicReason: 'Reason' },
  noEnd: 'Permanent',
  fallback: 'Button not working? Copy and paste this link into your browser:',
  reason: 'You’re receiving this email because it affects the security of your {product} account.',
  links: { support: 'Help', terms: 'Terms of service', privacy: 'Privacy policy' },
  codeClosing: 'Never share this code. If you didn’t request it, you can ignore this email.',
  email_verification: {
    subject: 'Verify your email for {product}',
    intro: 'Verify this email address to finish setting up your account. This link expires in {validity}.',
    action: 'Verify email',
    closing: 'If you didn’t create an account, you can ignore this email.',
  },
  password_reset: {
    subject: 'Reset your {product} password',
    intro: 'We received a request to reset your password. This link works once and expires in {validity}.',
    action: 'Reset password',
    closing: 'If you didn’t request this, you can ignore this email. Your password won’t change.',
  },
  ip_authorization: {
    subject: 'New sign-in to {product}: was this you?',
    intro:
      'Someone entered your password from a network you haven’t used before. We’re holding the sign-in until you approve it.',
    confirm: 'If this was you, approve it within {validity}.',
    action: 'Approve sign-in',
    closing: 'If this wasn’t you, don’t approve it. Reset your password right away, because someone else knows it.',
  },
  email_change_original: {
    subject: 'Your code to change your email',
    intro: 'Enter this code to change your email. It expires in {validity}.',
  },
  email_change_new: {
    subject: 'Verify your new email',
    intro: 'Enter this code to verify this email address. It expires in {validity}.',
  },
  password_change: {
    subject: 'Your code to change your password',
    intro: 'Enter this code to change your password. It expires in {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Your code to view your backup codes',
    intro: 'Enter this code to view your backup codes. It expires in {validity}.',
  },
  email_change_revert: {
    subject: 'Your {product} email was changed',
    intro: 'Your account’s email is now {email}.',
    undo: 'If you didn’t do this, undo it within {validity}. You’ll be signed out everywhere, and two-step verification will be turned off.',
    action: 'Undo change',
  },
  security_notice: {
    subject: 'Security alert for your {product} account',
    lock: 'If this wasn’t you, lock your account within {validity}. You’ll be signed out everywhere and asked to set a new password.',
    action: 'This wasn’t me',
  },
  security_digest: {
    intro:
      'There was a lot of activity on your account within an hour, so this email covers the rest. Each of these happened at least once:',
  },
  events: {
    password_changed: 'Your password was changed.',
    password_reset:
      'Your password was reset using a link we sent to this email address. You’ve been signed out everywhere.',
    email_reverted:
      'Your email change was undone. You’ve been signed out everywhere, and two-step verification was turned off.',
    email_changed: 'Your email was changed.',
    totp_enabled: 'An authenticator app was added to your account.',
    totp_disabled: 'The authenticator app was removed from your account.',
    passkey_added: 'A passkey was added to your account.',
    passkey_removed: 'A passkey was removed from your account.',
    second_factor_enabled: 'You’ll now be asked for a passkey after your password.',
    second_factor_disabled: 'You won’t be asked for a passkey after your password anymore.',
    backup_codes_regenerated: 'New backup codes were generated for your account. Your old codes no longer work.',
    mfa_disabled: 'An administrator removed your authenticator app and backup codes.',
    account_suspended: 'An administrator suspended your account.',
    account_reinstated: 'Your account is no longer suspended. You can sign in again.',
    suspicious_activity: 'We locked your account because of suspicious activity. Reset your password to unlock it.',
    sso_linked: 'Your account was linked to single sign-on.',
    sso_taken_over:
      'The owner of this email address signed in with single sign-on. Because the address was never verified, all earlier sign-in methods were removed.',
    session_handed_over: 'A new device was signed in to your account, approved from a device you were already using.',
    locked_down: 'Your account was locked. All devices were signed out, or all access was revoked.',
    credential_leaked: 'One of your account’s credentials was reported as leaked. We’ve revoked it.',
    data_exported: 'A copy of your account data was downloaded.',
    account_deletion_scheduled: 'Your account was scheduled for deletion.',
    deletion_canceled: 'The deletion of your account was canceled.',
    account_disabled: 'Your account was deactivated. Sign in to reactivate it.',
    account_reactivated: 'Someone signed in to your deactivated account, so it was reactivated.',
    suspicious_activity_ended: 'Your account is no longer locked because of suspicious activity.',
    sso_identity_set: 'An administrator linked your account to a single sign-on identity.',
    sso_identity_removed: 'An administrator unlinked your account from single sign-on.',
    access_token_created: 'A personal access token was created for your account.',
    access_token_deleted: 'A personal access token of your account was deleted.',
    permissions_changed: 'An administrator changed your admin permissions.',
  },
  account_deletion_scheduled: {
    subject: 'Your {product} account is scheduled for deletion',
    intro: 'Your account will be permanently deleted on {deadline}.',
    closing: 'If you asked for this and changed your mind, sign in before then to cancel.',
  },
  access_token_expiring: {
    subject: 'An access token of your {product} account expires soon',
    intro: 'Your personal access token “{name}” expires on {expiry}. Scripts that use it stop working then.',
    closing: 'Before that, create a new token in your account settings and use it in your scripts.',
  },
  registration_existing_account: {
    subject: 'You already have a {product} account',
    intro: 'Someone tried to sign up with this email address, but you already have an account. Nothing has changed.',
    closing: 'If this was you, sign in, or reset your password if you’ve forgotten it.',
  },
  registration_approved: {
    subject: 'Your {product} account was approved',
    intro: 'Your account was approved. You can sign in now.',
    action: 'Sign in',
  },
  registration_rejected: {
    subject: 'Your {product} account wasn’t approved',
    intro: 'Your account wasn’t approved, so you can’t sign in.',
  },
  registration: {
    reason: 'You’re receiving this email because someone signed up for {product} with this email address.',
  },
  mail_test: {
    subject: 'Test email from {product}',
    intro: 'Your {product} email setup works. You don’t need to do anything.',
    reason: 'You’re receiving this because you requested a test email as an administrator of {product}.',
  },
  sms: { phone_verification: 'Your {product} code is {code}. It expires in {validity}.' },
};
