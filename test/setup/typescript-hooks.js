import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from '@swc/core';
import { OPTIONS as TRANSPILE } from '../../scripts/transpile.mjs';

const OPTIONS = { ...TRANSPILE, sourceMaps: 'inline' };

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/gatehouse-test');
const GLOBALS = new URL('./globals.js', import.meta.url).href;

mkdirSync(CACHE, { recursive: true });

export function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL) {
    const { pathname, search } = new URL(context.parentURL);
    const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    // Mutation tests load a module with a query. Its imports get the same query.
    if (pathname.endsWith('.ts') && existsSync(url)) {
      return { url: `${url.href}${search}`, format: 'module', shortCircuit: true };
    }
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const text = readFileSync(filename, 'utf8');
  const key = createHash('sha256')
    .update(`${version}${JSON.stringify(OPTIONS)}${filename}\0${text}`)
    .digest('hex');
  const cached = join(CACHE, `${key}.js`);
  if (!existsSync(cached)) {
    const unique = `${cached}.${process.pid}`;
    writeFileSync(unique, transformSync(text, { ...OPTIONS, filename }).code);
    renameSync(unique, cached);
  }
  return { format: 'module', source: readFileSync(cached, 'utf8'), shortCircuit: true };
}
