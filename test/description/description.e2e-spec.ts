import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { ApiMetadata } from '../../src/description/api-metadata.js';
import { featureRegistry } from '../../src/features.js';
import { validateShape } from '../../src/http/input.js';
import type { Guard } from '../../src/pipeline/guard.js';
import { guardsInOrder } from '../../src/pipeline/guards.js';
import { FeatureRegistry } from '../../src/policy/feature-registry.js';
import type { Shape } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { cakes } from '../fixtures/cakes/cakes.module.js';
import { describedFixture } from '../machine/described-fixture.js';
import { ResponseValidator } from '../support/described.js';
import { expectApiError, type Gatehouse, gatehouse, person, race, withGatehouse } from '../support/index.js';

// biome-ignore lint/suspicious/noExplicitAny: the test reads single members of the document
type Document = any;

const ROOT = join(import.meta.dirname, '../..');
const METADATA_FILE = join(ROOT, 'src/description/api-metadata.json');
/** Operations that return JSON in a format defined outside of this project. */
const OF_OTHERS = new Set(['GET /openapi.json', 'GET /asyncapi.json']);
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-description-'));

let service: Gatehouse;
let document: Document;
beforeAll(async () => {
  const descriptions = [await describedFixture('cakes')];
  service = await gatehouse({ env: { RATE_LIMITS: 'on' }, features: [cakes], descriptions });
  document = (await service.anonymous.get('/openapi.json')).body;
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const operations = (): [where: string, operation: Document][] =>
  Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  ) as [string, Document][];

const resolved = (response: Document): Document =>
  response.$ref ? document.components.responses[response.$ref.split('/').pop()] : response;

describe('a description that cannot be generated', () => {
  test.each(['/openapi.json', '/asyncapi.json'])('%s: is generated again for the next request', async (path) => {
    const file = join(folder, 'lost.json');
    writeFileSync(file, readFileSync(await describedFixture('cakes')));
    await withGatehouse({ features: [cakes], descriptions: [file] }, async ({ anonymous }) => {
      // The kit reads the description of the service at its first response.
      await anonymous.get('/health/live').expect(200);
      renameSync(file, `${file}.away`);
      const failed = await race(32, () => anonymous.get(path));
      expect(failed.codes).toEqual({ INTERNAL_SERVER_ERROR: 32 });
      renameSync(`${file}.away`, file);
      const responses = await race(32, () => anonymous.get(path));
      expect(responses.statuses).toEqual({ 200: 32 });
      expect(new Set(responses.responses.map(({ text }) => text)).size).toBe(1);
    });
  });
});

describe('the description is valid', () => {
  test('OpenAPI 3.1, by its own schema', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(document.openapi).toBe('3.1.0');
  });

  test('by a second validator', async () => {
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('by the rules of spectral:oas, without a finding', async () => {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const spectral = join(ROOT, 'test/node_modules/@stoplight/spectral-cli/dist/index.js');
    const ruleset = join(ROOT, '.spectral.yaml');
    const options = ['--ruleset', ruleset, '--fail-severity', 'hint', '--format', 'text'];
    const { stdout } = await promisify(execFile)(process.execPath, [spectral, 'lint', file, ...options]);
    expect(stdout).toContain('No results');
  });
});

describe('every operation', () => {
  test('is described: summary, unique name and a domain with a description', () => {
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(184);
    const tags = new Map(document.tags.map((tag: Document) => [tag.name, tag.description]));
    for (const [where, operation] of operations()) {
      expect([where, operation.summary]).toEqual([where, expect.stringMatching(/^[A-Z][^.]{3,}$/)]);
      expect([where, 'x-gatehouse-undescribed' in operation]).toEqual([where, false]);
      expect([where, tags.get(operation.tags[0])]).toEqual([where, expect.stringMatching(/ .*\.$/)]);
    }
  });

  test('is for clients: pages and development tools are not listed', () => {
    const strange = operations().filter(([where]) =>
      /^\S+ \/(?:dev|docs|guides|assets|login|admin|account)(?:\/|$)/.test(where),
    );
    expect(strange.map(([where]) => where)).toEqual([]);
    expect(document.tags.map(({ name }: Document) => name).slice(0, 8)).toEqual([
      ...['auth', 'users', 'oauth', 'openid', 'gateway', 'webhooks', 'media', 'admin'],
    ]);
  });

  test('every built-in member has a description', () => {
    const undescribed: string[] = [];
    const visit = (value: Document, where: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, schema] of Object.entries<Document>(value.properties ?? {})) {
        if (!schema.description) undescribed.push(`${where} ${name}`);
      }
      for (const [key, part] of Object.entries<Document>(value)) visit(part, `${where}/${key}`);
    };
    const { schemas, responses } = document.components;
    const builtIn = Object.entries(document.paths).filter(([path]) => !path.startsWith('/v1/cakes'));
    visit({ paths: Object.fromEntries(builtIn), responses, webhooks: document.webhooks }, '');
    for (const [name, schema] of Object.entries(schemas)) if (!/cake/i.test(name)) visit(schema, name);
    expect(undescribed).toEqual([]);
  });

  test('describes every event for other services, with its signature', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...featureRegistry().outgoingEvents.keys()].sort());
    for (const { post } of Object.values<Document>(document.webhooks)) {
      expect(post.summary).toMatch(/^[A-Z][^.]{3,}$/);
      expect(post.parameters.map(({ name }: Document) => name)).toEqual([
        ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ]);
    }
  });

  test('declares every parameter of its path', () => {
    for (const [where, { parameters = [] }] of operations()) {
      const inPath = parameters.filter((parameter: Document) => parameter.in === 'path');
      const wanted = [...where.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([where, inPath.map(({ name }: Document) => name).sort()]).toEqual([where, wanted.sort()]);
    }
  });

  test('describes its success: a schema, a media type, or no body', () => {
    for (const [where, { responses }] of operations()) {
      const successes = Object.keys(responses).filter((status) => /^[23]/.test(status));
      expect([where, successes.length > 0]).toEqual([where, true]);
      for (const status of successes) {
        const { content = {} } = resolved(responses[status]);
        for (const [type, { schema }] of Object.entries<Document>(content)) {
          const isTold = type !== 'application/json' || Object.keys(schema).length > 0 || OF_OTHERS.has(where);
          expect([where, type, isTold]).toEqual([where, type, true]);
        }
      }
    }
  });

  test('shows a response recorded by its tests', () => {
    const silent = operations().filter(([, { responses }]) =>
      Object.entries<Document>(responses).some(([status, response]) => {
        const json = /^2/.test(status) ? resolved(response).content?.['application/json'] : undefined;
        return json && Object.keys(json.schema).length > 0 && !('example' in json);
      }),
    );
    // The responses of a team's operations are not recorded.
    expect(silent.map(([where]) => where).filter((where) => !where.includes('cake'))).toEqual([]);
  });

  test('shows a request that is valid', () => {
    let shown = 0;
    const refused: unknown[] = [];
    for (const { method, path, input } of service.app.get(Routes).all) {
      const shapes = [input?.body, input?.sudo].filter((shape): shape is Shape => shape !== undefined);
      const operation = document.paths[path.replace(/[:*](\w+)/g, '{$1}')]?.[method.toLowerCase()];
      // Pages and tools for development are not listed.
      if (!operation) continue;
      const example = operation.requestBody?.content['application/json']?.example;
      for (const shape of shapes) {
        const { faults } = validateShape(shape, example, service.app.get(FeatureRegistry));
        if (faults.length > 0) refused.push([method, path, example, faults]);
        shown++;
      }
    }
    expect(refused).toEqual([]);
    expect(shown).toBeGreaterThan(60);
  });

  test('declares the error codes of each of its guards', () => {
    const own = JSON.parse(readFileSync(METADATA_FILE, 'utf8')) as ApiMetadata;
    const declared = new Map<string, Set<string>>();
    const guards: Guard[] = guardsInOrder().map((type) => service.app.get(type));
    for (const { policy } of service.app.get(Routes).all) {
      for (const guard of guards.filter((row) => row.appliesTo(policy))) {
        const codes = declared.get(guard.constructor.name) ?? new Set();
        declared.set(guard.constructor.name, codes);
        for (const code of guard.possibleErrors(policy)) codes.add(code);
      }
    }
    // Codes of every route, because body transfers are limited and a dependency may be unavailable.
    const ofAll = new Set(['RATE_LIMITED', 'SERVICE_UNAVAILABLE']);
    for (const [guard, codes] of declared) {
      const thrown = (own.guards[guard] ?? []).filter((code) => !ofAll.has(code) || guard === 'RateGuard');
      expect([guard, [...codes].sort()]).toEqual([guard, thrown.sort()]);
    }
    expect(declared.size).toBe(12);
  });
});

describe('declarations are enforced', () => {
  test('controllers of an extension are described like ours', async () => {
    expect((await service.anonymous.get('/v1/cakes/plain')).body).toEqual({ name: 'plain', pieces: 8, eaten_at: null });
    expectApiError(await service.anonymous.get('/v1/cakes/gone'), 'CAKES_GONE');
    expect((await service.anonymous.post('/v1/cakes', { name: 'plain' })).status).toBe(204);
    const { get } = document.paths['/v1/cakes/{name}'];
    expect([get.operationId, get.summary, get.tags]).toEqual(['cakesShow', 'Shows a cake', ['cakes']]);
    expect(get.description).toMatch(/^It is not eaten by that\./);
    expect(document.components.schemas.CakeView.properties.pieces.description).toBe('How many may have a piece.');
    expect(Object.keys(get.responses)).toEqual(
      expect.arrayContaining(['200', '400', '403', '404', '429', '500', '503']),
    );
  });

  test('a member renamed without its type, and a member without a type, fail their test', async () => {
    await expect(service.anonymous.get('/v1/cakes/renamed')).rejects.toThrow(
      /cakesShow.*not as declared[\s\S]*"title"/,
    );
    await expect(service.anonymous.get('/v1/cakes/more')).rejects.toThrow(/must NOT have additional.*"recipe"/);
  });

  test('a code that the operation does not declare fails its test', async () => {
    await expect(service.anonymous.get('/v1/cakes/burnt')).rejects.toThrow('the code CAKES_BURNT is not declared');
  });

  test('a response that differs from its description fails the test', async () => {
    const judge = new ResponseValidator(
      JSON.parse(JSON.stringify(document).replaceAll('"global_name"', '"display_name"')),
    );
    const response = await service.as(await person(service, 'alice')).get('/v1/users/@me');
    expect(() => judge.validate('GET', '/v1/users/@me', response)).toThrow(
      /must have required property 'display_name'/,
    );
    expect(() => judge.validate('GET', '/v1/users/@me', { ...response, status: 202 })).toThrow(
      'the status is not declared',
    );
  });
});
