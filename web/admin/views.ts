import type { View } from '../core/views.js';
import { ACCOUNT_PATH } from './parts/person-link.js';
import { can, type Operation } from './rights.js';

/** A console view. It is available if the user may call one of its operations. */
interface ConsoleView extends View {
  readonly needs: readonly Operation[];
}

/** The views of the console in navigation order. src/web/paths.ts must serve the same; a test compares them. */
export const VIEWS: readonly ConsoleView[] = [
  {
    path: '/admin',
    title: 'adminHome.title',
    icon: 'house',
    needs: [['get', '/v1/admin/acls']],
    load: () => import('./search/view.js'),
  },
  {
    path: '/admin/person',
    itemPath: ACCOUNT_PATH,
    title: 'adminPerson.title',
    icon: 'user',
    isUnlisted: true,
    needs: [['get', '/v1/admin/users/{user_id}']],
    load: () => import('./person/view.js'),
  },
  {
    path: '/admin/people',
    title: 'adminPeople.title',
    icon: 'user',
    group: 'admin.people',
    needs: [['get', '/v1/admin/users']],
    load: () => import('./people/view.js'),
  },
  {
    path: '/admin/registrations',
    title: 'adminRegistrations.title',
    icon: 'user-check',
    group: 'admin.people',
    needs: [['get', '/v1/admin/instance/pending-registrations']],
    load: () => import('./registrations/view.js'),
  },
  {
    path: '/admin/applications',
    title: 'adminApplications.title',
    icon: 'app-window',
    group: 'admin.people',
    needs: [
      ['get', '/v1/admin/applications/{application_id}'],
      ['get', '/v1/admin/applications'],
    ],
    load: () => import('./applications/view.js'),
  },
  {
    path: '/admin/audit',
    title: 'adminAudit.title',
    icon: 'scroll-text',
    group: 'admin.security',
    needs: [['get', '/v1/admin/audit-logs']],
    load: () => import('./audit/view.js'),
  },
  {
    path: '/admin/bans',
    title: 'adminBans.title',
    icon: 'ban',
    group: 'admin.security',
    needs: [
      ['get', '/v1/admin/blocklists/ip/entries'],
      ['post', '/v1/admin/blocklists/ip/entries'],
      ['delete', '/v1/admin/blocklists/ip/entries/{value}'],
    ],
    load: () => import('./bans/view.js'),
  },
  {
    path: '/admin/acls',
    title: 'adminAcls.title',
    icon: 'shield',
    group: 'admin.security',
    needs: [['get', '/v1/admin/acls']],
    load: () => import('./acls/view.js'),
  },
  {
    path: '/admin/keys',
    title: 'adminKeys.title',
    icon: 'key-round',
    group: 'admin.security',
    needs: [['get', '/v1/admin/api-keys']],
    load: () => import('./keys/view.js'),
  },
  {
    path: '/admin/explain',
    title: 'adminExplain.title',
    icon: 'scan-search',
    group: 'admin.security',
    needs: [['post', '/v1/admin/explain']],
    load: () => import('./explain/view.js'),
  },
  {
    path: '/admin/now',
    title: 'adminNow.title',
    icon: 'gauge',
    group: 'admin.platform',
    needs: [['get', '/v1/admin/instance/statistics']],
    load: () => import('./now/view.js'),
  },
  {
    path: '/admin/jobs',
    title: 'adminJobs.title',
    icon: 'layers',
    group: 'admin.platform',
    needs: [['get', '/v1/admin/jobs']],
    load: () => import('./jobs/view.js'),
  },
  {
    path: '/admin/instance',
    title: 'adminInstance.title',
    icon: 'settings',
    group: 'admin.platform',
    needs: [['get', '/v1/admin/instance/config']],
    load: () => import('./instance/view.js'),
  },
  {
    path: '/admin/connections',
    title: 'adminConnections.title',
    icon: 'log-in',
    group: 'admin.platform',
    needs: [['get', '/v1/admin/connections']],
    load: () => import('./connections/view.js'),
  },
  {
    path: '/admin/events',
    title: 'adminEvents.title',
    icon: 'webhook',
    group: 'admin.platform',
    needs: [['get', '/v1/admin/event-endpoints']],
    load: () => import('./events/view.js'),
  },
  {
    path: '/admin/setup',
    title: 'adminSetup.title',
    icon: 'list-checks',
    group: 'admin.platform',
    isFullPageLoad: true,
    needs: [['get', '/v1/admin/instance/config']],
    load: () => import('./setup/view.js'),
  },
];

/** The views that the user may open. */
export const viewsHere = (): readonly ConsoleView[] => VIEWS.filter(({ needs }) => needs.some((one) => can(...one)));
