/** Sections of the sidebar, each with its pages in order. Pages that no section lists are at the end of their section. */
const SECTIONS = [
  ['Start', ['start', 'quick-start', 'tour', 'concepts', 'how-to']],
  [
    'Client developers',
    [
      'clients/overview',
      'clients/signing-in',
      'clients/access-tokens',
      'clients/protect-service',
      'clients/sudo',
      'clients/errors',
      'clients/rate-limits',
      'clients/gateway',
      'clients/oauth2',
      'clients/login-nextjs',
      'clients/login-express',
      'clients/login-fastapi',
      'clients/login-single-page',
      'clients/login-apache',
      'clients/bots',
      'clients/webhooks',
      'clients/media',
      'manual/client',
    ],
  ],
  [
    'Extend Gatehouse',
    [
      'teams/overview',
      'manual/extending',
      'teams/mistakes',
      'manual/testing',
      'manual/public',
      'manual/importing',
      'manual/description',
      'manual/account-changes',
    ],
  ],
  [
    'Operate',
    [
      'operators/overview',
      'operators/configuration',
      'operators/database',
      'operators/email',
      'operators/media',
      'operators/webhooks',
      'operators/events',
      'operators/account-security',
      'operators/single-sign-on',
      'operators/connections',
      'operators/proxies',
      'operators/forward-authentication',
      'operators/container',
      'operators/kubernetes',
      'operators/virtual-machine',
      'operators/fly-and-railway',
      'operators/upgrade',
      'operators/backup',
      'operators/key-rotation',
      'operators/replicas',
      'operators/capacity',
      'operators/monitoring',
      'operators/alerts',
      'operators/jobs',
      'operators/user-data',
      'operators/incidents',
      'operators/runbooks',
      'operators/commands',
      'manual/pages',
      'manual/performance',
    ],
  ],
  [
    'Reference',
    [
      'reference/routes',
      'reference/order',
      'reference/errors',
      'reference/limits',
      'reference/configuration',
      'reference/acls',
      'reference/scopes',
      'reference/events',
      'reference/commands',
    ],
  ],
  ['Contract', ['contract/readme', 'contract/source', 'contract/credentials', 'contract/conventions']],
  ['Assurance', ['manual/assurance/readme']],
  [
    'Maintain Gatehouse',
    [
      'manual/contributing',
      'manual/architecture',
      'manual/maintaining/overview',
      'manual/maintaining/commands',
      'manual/maintaining/pages',
      'manual/maintaining/extension-kit',
      'manual/maintaining/tests',
      'manual/maintaining/mutation-testing',
      'manual/maintaining/measurements',
      'manual/maintaining/releasing',
    ],
  ],
  ['Project', ['manual/readme', 'manual/security', 'manual/changelog']],
];

/** The section of pages that are not listed above, by the start of their path. The first match decides. */
const OTHERS = [
  [/^clients\//, 'Client developers'],
  [/^teams\//, 'Extend Gatehouse'],
  [/^operators\//, 'Operate'],
  [/^contract\//, 'Contract'],
  [/^manual\/assurance\//, 'Assurance'],
  [/^manual\/maintaining\//, 'Maintain Gatehouse'],
  [/^manual\//, 'Project'],
];

/** The one page that is only an index of the reference on a code host. Neither the sidebar nor the search lists it. */
export const WITHOUT_ENTRY = ['reference'];

/**
 * @param paths of all pages of the site, without `.md`
 * @returns the sections with the pages that exist
 * @throws Error if a page belongs to no section
 */
export function sectionsOf(paths) {
  const known = new Set(paths);
  const listed = new Set(SECTIONS.flatMap(([, pages]) => pages));
  const others = paths
    .filter((path) => !listed.has(path) && !WITHOUT_ENTRY.includes(path))
    .map((path) => {
      const section = OTHERS.find(([pattern]) => pattern.test(path))?.[1];
      if (!section) throw new Error(`scripts/guides/sections.mjs has no section for ${path}`);
      return { path, section };
    });
  return SECTIONS.map(([title, pages]) => ({
    title,
    pages: [
      ...pages.filter((path) => known.has(path)),
      ...others.filter(({ section }) => section === title).map(({ path }) => path),
    ],
  }));
}
