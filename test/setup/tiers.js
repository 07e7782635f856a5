import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Files that `npm test` leaves to `npm run test:all`, with the reason. The core suite tests every rule of the contract
 * on the embedded database. It needs neither a browser nor the packages of `test/package.json`.
 */
const BEYOND_CORE = [
  [/^test\/pages\/.+e2e-spec/, 'pages in Chromium'],
  [/^test\/contract\/(?:media-browser|passkeys-browser|web-1-mails)\./, 'need Chromium'],
  [
    /^test\/(?:third-party\/|contract\/(?:oauth-clients|outgoing-events)\.)/,
    'clients of others, from test/package.json',
  ],
  [/^test\/contract\/media-(?:s3|storage)\./, 'an S3 server, from test/package.json'],
  [/^test\/(?:description\/|gateway\/team-gateway\.)/, 'validators of descriptions, from test/package.json'],
  [
    /^test\/(?:faults\/|contract\/statement-faults\.)/,
    'stop and kill servers of their own, fail every statement, or write very many rows',
  ],
  [
    /^test\/contract\/(?:gateway-(?:fan-out|hostile|journal-memory)|auth-1\.7-many-sessions|conventions-12-(?:blocking|readers))\./,
    'load and memory: many connections and rows, large and costly requests, clients that do not read',
  ],
  [/^test\/verify\//, 'services of others, some of which need packages from test/package.json'],
  [/^test\/history\//, 'three replicas under load'],
  [
    /^test\/(?:fuzz\/|contract\/conventions-hostile-input\.|core\/patterns\.)/,
    'call every operation with many inputs, and search an input that stalls a pattern',
  ],
  [/^test\/cli\/cli-import\./, 'moves accounts from another system'],
  [
    /^test\/(?:deploy\/|cli\/(?:generator|cli-describe)\.|scripts\/(?:package|loaded-packages|snapshot|bundle|supply-chain)\.)/,
    'packaging and deployment',
  ],
  [/^test\/docs\//, 'guides and their examples'],
  [
    /^test\/(?:platform\/(?:upgrade|directory-lock|data-directory|process)|cli\/cli|core\/workers|scripts\/rolling)\./,
    'processes and former versions',
  ],
  [/^test\/(?:bench\/|scripts\/(?:scripts|english|public-api)\.)/, 'tests of tools'],
  [/^test\/pages\/.+(?<!e2e-)spec/, 'compare the sources of pages with operations'],
];

/** Files of the core that run only once, because their result is the same on the other platform and database. */
const ONCE = [
  [/(?<!e2e-)spec\.ts$/, 'no service is started'],
  [/^test\/contract\/media-images\./, 'images are transformed alike on both'],
  [/^test\/(?:contract\/conventions-framing|pipeline\/boot-platform)\./, 'start services on both platforms'],
];

/** Files beyond the core that run on both platforms, because they depend on how a platform reads and writes. */
const ON_BOTH = [
  [/^test\/third-party\/(?:reused-connections|http2-proxy)/, 'connections that proxies reuse'],
  [
    /^test\/(?:faults\/(?:bounds|disk)|contract\/conventions-12-(?:blocking|readers))\./,
    'limits of requests and responses',
  ],
  [/^test\/core\/workers\./, 'several processes with one port'],
  [/^test\/pages\/login\./, 'a page with its files and forms'],
];

/** Files that also run behind PgBouncer in transaction mode, because their statements differ most. */
const BEHIND_POOLER = [
  [/^test\/contract\/(?:credentials-3-resolution|auth-9-sessions)\./, 'lookups of credentials, in batches'],
  [/^test\/contract\/(?:oauth-rotation|admin-jobs)\./, 'transactions with locks, and jobs'],
  [/^test\/contract\/gateway-(?:notices|protocol)\./, 'events with the commit, and notifications'],
];

/** Files that never reach the pooler of a run, because they use servers of their own or test tools. */
const WITHOUT_POOLER = [
  [/^test\/(?:faults|history|deploy)\//, 'servers of their own'],
  [/^test\/(?:bench|docs|scripts)\//, 'tools, packages and guides'],
];

function* specsIn(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* specsIn(path);
    else if (path.endsWith('spec.ts')) yield path;
  }
}

/** The files that match each line. @throws Error if a line matches no file */
function grouped(lines) {
  const all = ['src', 'test'].flatMap((folder) => [...specsIn(folder)]);
  return lines.map(([pattern, reason]) => {
    const files = all.filter((path) => pattern.test(path));
    if (files.length === 0) throw new Error(`${pattern} of test/setup/tiers.js matches no file`);
    return { files, reason };
  });
}

export const beyondCore = () => grouped(BEYOND_CORE);
export const onBoth = () => grouped(ON_BOTH);
export const behindPooler = () => grouped(BEHIND_POOLER);
export const withoutPooler = () => grouped(WITHOUT_POOLER);

export function once() {
  const beyond = new Set(beyondCore().flatMap(({ files }) => files));
  return grouped(ONCE).map(({ files, reason }) => ({ files: files.filter((path) => !beyond.has(path)), reason }));
}
