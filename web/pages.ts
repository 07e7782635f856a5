import type { ComponentType } from 'preact';
import { brand } from './core/brand.js';

type Loader = () => Promise<{ readonly default: ComponentType }>;

/** Pages by path. src/web/paths.ts must serve the same; a test compares them. */
const PAGES: Readonly<Record<string, Loader>> = {
  '/': () => import('./pages/start.js'),
  '/dev/components': () => import('./dev/components.js'),
  '/login': () => import('./pages/login/page.js'),
  '/register': () => import('./pages/register/page.js'),
  '/forgot': () => import('./pages/forgot/page.js'),
  '/auth/verify': () => import('./pages/verify/page.js'),
  '/auth/reset': () => import('./pages/reset/page.js'),
  '/auth/authorize-ip': () => import('./pages/authorize-ip/page.js'),
  '/auth/email-revert': () => import('./pages/email-revert/page.js'),
  '/auth/lockdown': () => import('./pages/lockdown/page.js'),
  '/auth/sso/callback': () => import('./pages/sso-callback/page.js'),
  '/auth/passkey': () => import('./pages/passkey/page.js'),
  '/passkey-bridge': () => import('./pages/passkey-bridge/page.js'),
  '/handoff': () => import('./pages/handoff/page.js'),
  '/oauth2/logout': () => import('./pages/logout/page.js'),
  '/oauth2/authorize': () => import('./pages/consent/page.js'),
};

/** Sections with their own routing below these paths. */
const PARTS: Readonly<Record<string, Loader>> = {
  '/account': () => import('./account/page.js'),
  '/admin': () => import('./admin/page.js'),
};

/** The callback of each connection, which completes sign-ins like the one of single sign-on. */
const CONNECTION_CALLBACK = /^\/auth\/connections\/[^/]+\/callback$/;

export function pageOf(path: string): ReturnType<Loader> {
  if (brand.error) return import('./pages/error/page.js');
  const part = Object.keys(PARTS).find((name) => path === name || path.startsWith(`${name}/`));
  const loader = PAGES[CONNECTION_CALLBACK.test(path) ? '/auth/sso/callback' : path] ?? PARTS[part ?? ''];
  if (!loader) throw new Error(`no page at ${path}`);
  return loader();
}
