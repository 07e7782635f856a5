import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;
/** Sections of the catalogs that are loaded only with one part of the pages. */
const SECTIONS_BY_PART: Readonly<Record<string, readonly string[]>> = {
  account: [
    ...['account', 'required', 'profile', 'contact', 'passkeys', 'factors', 'sessions', 'events'],
    ...['signInMethods', 'connections', 'applications', 'webhooks', 'tokens', 'data'],
  ],
  admin: [
    ...[
      'admin',
      'adminHome',
      'adminSearch',
      'adminPerson',
      'adminActions',
      'adminAudit',
      'adminAcls',
      'adminBans',
      'adminKeys',
    ],
    ...[
      'adminInstance',
      'adminConnections',
      'adminRegistrations',
      'adminSetup',
      'adminApplications',
      'adminNow',
      'adminJobs',
      'adminEvents',
    ],
    'adminExplain',
  ],
};
const isLater = (section: string): boolean => Object.values(SECTIONS_BY_PART).flat().includes(section);

/**
 * Each language has one catalog file that is loaded in parts. `de.json?part=first` contains the texts before sign-in,
 * `?part=account` those of the account pages.
 */
const catalogues: Plugin = {
  name: 'catalogues',
  enforce: 'pre',
  load(id) {
    const match = /^(.+\.json)\?part=(\w+)$/.exec(id);
    if (!match) return null;
    const [, file = '', part = ''] = match;
    this.addWatchFile(file);
    const sections = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object);
    const said = sections.filter(([name]) =>
      part === 'first' ? !isLater(name) : SECTIONS_BY_PART[part]?.includes(name),
    );
    return { code: `export default ${JSON.stringify(Object.fromEntries(said))}`, moduleType: 'js' };
  },
};

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [catalogues],
  resolve: { alias: { '@gatehouse-auth/client': join(here, '../client/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(here, '../dist/web'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    // Preload links would cost an extra request for files that the next line imports anyway.
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // Do not warn about slow plugins on slow machines.
      checks: { pluginTimings: false },
      // Bundle everything that main.tsx imports into one file, even if pages import parts of it, to save a request.
      preserveEntrySignatures: 'allow-extension',
      output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } },
      treeshake: { moduleSideEffects: (id: string) => !/node_modules\/@?preact/.test(id) },
    },
  },
});
