import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;
/** Sections of a catalogue that are loaded with the part of the pages that speaks them. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  account: [
    ...['account', 'required', 'profile', 'contact', 'passkeys', 'factors', 'sessions', 'events'],
    ...['connections', 'applications', 'webhooks', 'data'],
  ],
  admin: [
    ...['admin', 'adminSearch', 'adminPerson', 'adminDeeds', 'adminAudit', 'adminAcls', 'adminBans', 'adminKeys'],
    ...['adminInstance', 'adminRegistrations', 'adminSetup', 'adminApplications', 'adminNow', 'adminExplain'],
  ],
};
const isLater = (section: string): boolean => Object.values(LATER).flat().includes(section);

/**
 * A catalogue is one file per language and loaded in parts: `de.json?part=first` is what is said before anybody is signed
 * in, `?part=account` what is said there alone.
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
    const said = sections.filter(([name]) => (part === 'first' ? !isLater(name) : LATER[part]?.includes(name)));
    return { code: `export default ${JSON.stringify(Object.fromEntries(said))}`, moduleType: 'js' };
  },
};

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [catalogues],
  resolve: { alias: { 'gatehouse/client': join(here, '../client/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(here, '../dist/web'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    // Links that a script adds would be one more request each, for what the next line asks for anyway.
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // A slow machine is no reason for a warning.
      checks: { pluginTimings: false },
      // One file for what main.tsx brings along, whatever pages import of it: one more would be one more request.
      preserveEntrySignatures: 'allow-extension',
      output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } },
      treeshake: { moduleSideEffects: (id: string) => !/node_modules\/@?preact/.test(id) },
    },
  },
});
