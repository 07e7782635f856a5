import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { slug } from '../../../scripts/guides/links.mjs';

/** The pages as `scripts/docs.mjs` has put them together. */
const pages = process.env.GUIDES_PAGES ?? '';

/** Sections of the sidebar with their pages, in their order; a page that is not there is left out, and one that is not named here comes last. */
const SECTIONS = [
  ['Start', ['start', 'quick-start', 'tour', 'concepts']],
  [
    'For client authors',
    [
      'clients/overview',
      'clients/signing-in',
      'clients/sudo',
      'clients/errors',
      'clients/rate-limits',
      'clients/gateway',
      'clients/oauth2',
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
      'manual/generator',
      'manual/testing',
      'manual/public',
      'manual/importing',
      'manual/description',
    ],
  ],
  [
    'For operators',
    [
      'operators/overview',
      'operators/configuration',
      'operators/proxies',
      'operators/container',
      'operators/kubernetes',
      'operators/upgrade',
      'operators/backup',
      'operators/key-rotation',
      'operators/single-sign-on',
      'operators/monitoring',
      'operators/capacity',
      'operators/incidents',
      'manual/operating',
      'manual/pages',
      ...['README', 'asvs', 'rfc9700', 'nist-800-63b', 'cryptography'].map((page) => `manual/assurance/${page}`),
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
  ['The project', ['manual/readme', 'manual/architecture', 'manual/contributing', 'manual/changelog']],
];
/** Where pages that are named nowhere above belong, by their folder. */
const REST = {
  clients: 'For client authors',
  teams: 'Extend Gatehouse',
  manual: 'Extend Gatehouse',
  operators: 'For operators',
  contract: 'Contract',
};

const fileOf = (page) => join(pages, `${page}.md`);
const titleOf = (page) => /^# (.+)$/m.exec(readFileSync(fileOf(page), 'utf8'))?.[1]?.replaceAll('`', '') ?? page;
const entryOf = (page) => ({ text: titleOf(page), link: `/${page}` });

function sidebar() {
  const named = new Set(SECTIONS.flatMap(([, list]) => list));
  const unnamed = Object.entries(REST).flatMap(([folder, section]) =>
    readdirSync(join(pages, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => ({ section, page: `${folder}/${name.slice(0, -3)}` })),
  );
  return SECTIONS.map(([text, list]) => {
    const more = unnamed.filter(({ section, page }) => section === text && !named.has(page)).map(({ page }) => page);
    const items = [...list.filter((page) => existsSync(fileOf(page))), ...more].map(entryOf);
    return { text, items };
  });
}

/** Colours of code as classes, since the policy of the pages lets no style attribute through. */
const colours = transformerStyleToClass({ classPrefix: 'code-' });

/** What pages run before they are shown, moved out of them. */
const early = new Map();
const INLINE = /<script id="([\w-]+)">([\s\S]*?)<\/script>/g;
/** Of the theme, whose script sets it again. */
const STYLE = /(<[^>]+) style="--vp-vh:0px;"/g;

function plain(html) {
  const scripts = [...html.matchAll(INLINE)];
  for (const [, id, script] of scripts) early.set(id, script);
  const [first] = scripts;
  const moved = html.replace(INLINE, (script) =>
    script === first?.[0] ? '<script src="/guides/early.js"></script>' : '',
  );
  return moved.replace(STYLE, '$1');
}

export default {
  title: 'Gatehouse',
  description: 'The credential front door of a platform',
  lang: 'en',
  base: '/guides/',
  contentProps: { class: 'content' },
  cleanUrls: true,
  // Whoever scrolls past a link has not asked for its page, and requests are limited.
  router: { prefetchLinks: false },
  metaChunk: true,
  lastUpdated: false,
  // scripts/guides/links.mjs looks at links, and at anchors, too.
  ignoreDeadLinks: true,
  head: [['link', { rel: 'stylesheet', href: '/guides/code.css' }]],
  transformHtml: plain,
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, 'code.css'), colours.getCSS());
    writeFileSync(join(outDir, 'early.js'), [...early.values()].join('\n'));
  },
  vite: { build: { assetsInlineLimit: 0, reportCompressedSize: false } },
  markdown: {
    anchor: { slugify: slug },
    codeTransformers: [colours],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    // No address of the service ends in a slash.
    logoLink: '/guides/start',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Reference', link: '/reference/routes' },
    ],
    sidebar: sidebar(),
  },
};
