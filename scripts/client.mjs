/**
 * Generates `client/api.ts` from the OpenAPI document of the service. It contains the types of the operations for the
 * client. `--check` only reports whether the file is outdated.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { default: openapiTS, astToString } = await import('openapi-typescript');
const { readDescriptions } = await import('../dist/src/app.js');
const { loadConfig } = await import('../dist/src/features.js');

const FILE = join(import.meta.dirname, '../client/api.ts');
const HEAD = '/** Written by `npm run client` from the description of the service; not by hand. */\n';
const KEPT = new Set(['path', 'query']);

/** Removes everything that the client handles itself: headers, error responses and examples. */
function slim({ api, gateway }) {
  const copy = JSON.parse(JSON.stringify(api, (name, value) => (name === 'example' ? undefined : value)));
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
  const events = Object.entries(gateway.components.messages).filter(([name]) => name.startsWith('EVENT_'));
  const data = events.map(([name, { payload }]) => [name.slice('EVENT_'.length), payload.properties.d]);
  copy.components.schemas = {
    ...gateway.components.schemas,
    ...copy.components.schemas,
    GatewayEvents: { type: 'object', properties: Object.fromEntries(data), required: data.map(([name]) => name) },
  };
  const wanted = new Set(['GatewayEvents']);
  const follow = (node) => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (wanted.has(name)) continue;
      wanted.add(name);
      follow(copy.components.schemas[name]);
    }
  };
  follow(copy.paths);
  follow(copy.components.schemas.GatewayEvents);
  const schemas = Object.entries(copy.components.schemas).filter(([name]) => wanted.has(name));
  return {
    openapi: copy.openapi,
    info: copy.info,
    paths: copy.paths,
    components: { schemas: Object.fromEntries(schemas) },
  };
}

const descriptions = await readDescriptions(loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') }));
const text = HEAD + astToString(await openapiTS(slim(descriptions), { alphabetize: true }));
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error('client/api.ts is not what the description says: npm run client');
  process.exit(1);
}
process.exit(0);
