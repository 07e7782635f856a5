/** Pages before sign-in, and targets of links in emails (web.md section 2). */
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

/** Views of the account. Other paths below `/account` are not pages. */
const ACCOUNT_VIEWS = [
  'profile',
  'contact',
  'connections',
  'data',
  'sign-in-methods',
  'password',
  'passkeys',
  'factors',
  'sessions',
  'events',
  'applications',
  'webhooks',
  'access-tokens',
  'required',
] as const;

/** Views of the console. Other paths below `/admin` are not pages. */
const ADMIN_VIEWS = [
  'person',
  'people',
  'registrations',
  'applications',
  'audit',
  'bans',
  'acls',
  'keys',
  'explain',
  'now',
  'jobs',
  'instance',
  'connections',
  'events',
  'setup',
] as const;

/** Available only during development. */
export const COMPONENTS = '/dev/components';

/** The consent page has the path that applications use, even if the other pages are disabled. */
export const CONSENT = '/oauth2/authorize';

/** The sign-out page for applications, which is served together with the consent page (openid.md section 6). */
export const LOGOUT = '/oauth2/logout';

/** Pages that may show a CAPTCHA. Only they allow the widget of the provider. */
const CAPTCHA_PAGES: ReadonlySet<string> = new Set([
  ...['/login', '/register', '/forgot', '/auth/reset', '/account/applications', '/admin/setup'],
  CONSENT,
]);

/** Every path that opens a page. */
export const ALL_PAGES: ReadonlySet<string> = new Set([
  ...PAGES,
  CONSENT,
  LOGOUT,
  '/account',
  ...ACCOUNT_VIEWS.map((view) => `/account/${view}`),
  '/admin',
  ...ADMIN_VIEWS.map((view) => `/admin/${view}`),
]);

/** The page of one account, which is the view `person` with another URL. */
const ACCOUNT_PAGE = /^\/admin\/people\/\d{1,20}$/;

/** The callback of each connection, with its ID. */
export const CONNECTION_CALLBACK = '/auth/connections/:id/callback';
const CALLBACK_PAGE = /^\/auth\/connections\/[a-z0-9-]{1,32}\/callback$/;

export const isPage = (path: string): boolean =>
  ALL_PAGES.has(path) || path === COMPONENTS || ACCOUNT_PAGE.test(path) || CALLBACK_PAGE.test(path);

export const showsCaptcha = (path: string): boolean => CAPTCHA_PAGES.has(path);
