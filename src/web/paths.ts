/** Pages before sign-in, and what links of ours open (web.md section 2). */
export const PAGES = [
  '/',
  '/login',
  '/register',
  '/forgot',
  '/auth/verify',
  '/auth/reset',
  '/auth/authorize-ip',
  '/auth/email-revert',
  '/auth/lockdown',
  '/auth/sso/callback',
  '/auth/passkey',
  '/passkey-bridge',
  '/handoff',
] as const;

/** Views of the account; below `/account` nothing else is a page. */
const ACCOUNT_VIEWS = [
  'profile',
  'contact',
  'connections',
  'data',
  'password',
  'passkeys',
  'factors',
  'sessions',
  'events',
  'applications',
  'webhooks',
  'required',
] as const;

/** Views of the console; below `/admin` nothing else is a page. */
const ADMIN_VIEWS = [
  'person',
  'registrations',
  'applications',
  'audit',
  'bans',
  'acls',
  'keys',
  'explain',
  'now',
  'instance',
  'setup',
] as const;

/** Seen while developing alone. */
export const COMPONENTS = '/dev/components';

/** The consent page stands where applications send people, whoever's the other pages are. */
export const CONSENT = '/oauth2/authorize';

/** Where a captcha may be asked for: its provider's widget is let in there alone. */
const WITH_CAPTCHA: ReadonlySet<string> = new Set([
  ...['/login', '/register', '/forgot', '/auth/reset', '/account/applications', '/admin/setup'],
  CONSENT,
]);

/** Every address that opens a page. */
export const ALL_PAGES: ReadonlySet<string> = new Set([
  ...PAGES,
  CONSENT,
  '/account',
  ...ACCOUNT_VIEWS.map((view) => `/account/${view}`),
  '/admin',
  ...ADMIN_VIEWS.map((view) => `/admin/${view}`),
]);

export const isPage = (path: string): boolean => ALL_PAGES.has(path) || path === COMPONENTS;

export const asksForCaptcha = (path: string): boolean => WITH_CAPTCHA.has(path);
