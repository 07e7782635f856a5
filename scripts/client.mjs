/**
 * Writes `client/api.ts`: what the typed client knows of the operations, from the description of the service. `--check`
 * only says whether it is old.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { readDescription } from '../dist/src/app.js';
import { loadConfig } from '../dist/src/core/config/config.js';

const FILE = join(import.meta.dirname, '../client/api.ts');
const HEAD = '/** Written by `npm run client` from the description of the service; not by hand. */\n';
const KEPT = new Set(['path', 'query']);

/** Without what the client deals with by itself: headers, refusals, examples. */
function slim(document) {
  const copy = JSON.parse(JSON.stringify(document, (name, value) => (name === 'example' ? undefined : value)));
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      operation.parameters = (operation.parameters ?? []).filter((parameter) => KEPT.has(parameter.in));
      const successes = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
      operation.responses = Object.fromEntries(
        successes.map(([status, { headers: _, ...answer }]) => [status, answer]),
      );
      operation.description = undefined;
    }
  }
  const wanted = new Set();
  const follow = (node) => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (wanted.has(name)) continue;
      wanted.add(name);
      follow(copy.components.schemas[name]);
    }
  };
  follow(copy.paths);
  const schemas = Object.entries(copy.components.schemas).filter(([name]) => wanted.has(name));
  return {
    openapi: copy.openapi,
    info: copy.info,
    paths: copy.paths,
    components: { schemas: Object.fromEntries(schemas) },
  };
}

const document = await readDescription(loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') }));
const text = HEAD + astToString(await openapiTS(slim(document), { alphabetize: true }));
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error('client/api.ts is not what the description says: npm run client');
  process.exit(1);
}
process.exit(0);
