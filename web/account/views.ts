import { brand } from '../core/brand.js';
import type { View } from '../core/views.js';

/** The views of the account in navigation order. src/web/paths.ts must serve the same; a test compares them. */
export const VIEWS: readonly View[] = [
  { path: '/account', title: 'account.overview', icon: 'house', load: () => import('./overview/view.js') },
  {
    path: '/account/profile',
    title: 'profile.title',
    icon: 'user',
    group: 'account.you',
    load: () => import('./profile/view.js'),
  },
  {
    path: '/account/contact',
    title: 'contact.title',
    icon: 'at-sign',
    group: 'account.you',
    load: () => import('./contact/view.js'),
  },
  {
    path: '/account/connections',
    title: 'connections.title',
    icon: 'link-2',
    group: 'account.you',
    load: () => import('./connections/view.js'),
  },
  {
    path: '/account/data',
    title: 'data.title',
    icon: 'database',
    group: 'account.you',
    load: () => import('./data/view.js'),
  },
  {
    path: '/account/sign-in-methods',
    title: 'signInMethods.title',
    icon: 'log-in',
    group: 'account.security',
    load: () => import('./sign-in-methods/view.js'),
  },
  {
    path: '/account/password',
    title: 'account.password',
    icon: 'lock',
    group: 'account.security',
    load: () => import('./password/view.js'),
  },
  {
    path: '/account/passkeys',
    title: 'passkeys.title',
    icon: 'fingerprint-pattern',
    group: 'account.security',
    load: () => import('./passkeys/view.js'),
  },
  {
    path: '/account/factors',
    title: 'factors.title',
    icon: 'shield-check',
    group: 'account.security',
    load: () => import('./factors/view.js'),
  },
  {
    path: '/account/sessions',
    title: 'sessions.title',
    icon: 'monitor',
    group: 'account.security',
    load: () => import('./sessions/view.js'),
  },
  {
    path: '/account/events',
    title: 'events.title',
    icon: 'activity',
    group: 'account.security',
    load: () => import('./events/view.js'),
  },
  {
    path: '/account/applications',
    title: 'applications.title',
    icon: 'app-window',
    group: 'account.built',
    isFullPageLoad: true,
    load: () => import('./applications/view.js'),
  },
  {
    path: '/account/webhooks',
    title: 'webhooks.title',
    icon: 'webhook',
    group: 'account.built',
    load: () => import('./webhooks/view.js'),
  },
  {
    path: '/account/access-tokens',
    title: 'tokens.title',
    icon: 'key-round',
    group: 'account.built',
    ...(brand.tokenDays === 0 && { isUnlisted: true }),
    load: () => import('./tokens/view.js'),
  },
];

/** Shown instead of all other views while the account has open requirements. */
export const REQUIRED: View = {
  path: '/account/required',
  title: 'required.title',
  icon: 'list-todo',
  load: () => import('./required/view.js'),
};
