import { setImmediate as nextTurn } from 'node:timers/promises';
import { schemaOf } from '../http/input.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { RoutePlan } from '../policy/plan.js';
import type { ApiMetadata, Schema } from './api-metadata.js';
import { securitySchemes } from './credentials.js';
import { errorSchemas } from './error-responses.js';
import { RESPONSE_HEADERS } from './headers.js';
import { templateOf } from './inputs.js';
import { describeMembers } from './members.js';
import { operationOf } from './operations.js';
import { SharedResponses } from './shared-responses.js';
import { webhooksOf } from './webhooks.js';

export interface Facts {
  readonly productName: string;
  readonly origin: string;
  readonly features: FeatureRegistry;
}

const ABOUT = `## Authentication

Send one credential in the \`Authorization\` header:

| Credential | Header | How to get it |
|---|---|---|
| Session of a user | \`Authorization: flx_...\` | \`POST /v1/auth/register\`, \`POST /v1/auth/login\` |
| Bot token | \`Authorization: Bot <token>\` | \`POST /v1/oauth2/applications\` |
| OAuth2 access token | \`Authorization: Bearer <token>\` | \`POST /v1/oauth2/token\` |
| Admin API key, for \`/v1/admin\` | \`Authorization: Admin fa_...\` | \`POST /v1/admin/api-keys\` |

Each operation lists the credentials that it accepts. \`x-gatehouse-policy\`, \`-acls\`, \`-scope\`, \`-bucket\` and \`-sudo\` contain its
other requirements.

## Errors

Error responses are JSON with \`code\` and \`message\`. In your client, branch on \`code\`, never on \`message\`.`;

/** Tags in the order of the reference. Others follow in alphabetical order. */
const TAGS = ['auth', 'users', 'oauth', 'openid', 'gateway', 'webhooks', 'media', 'admin'];

const byTag = (one: string, other: string): number => {
  const [first, second] = [one, other].map((tag) => (TAGS.includes(tag) ? TAGS.indexOf(tag) : TAGS.length)) as [
    number,
    number,
  ];
  return first - second || (one < other ? -1 : 1);
};

/** `/auth/reset` as `AuthReset`, to distinguish several paths of one handler. */
const pascalCasePath = (template: string): string =>
  (template.match(/\w+/g) ?? []).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

/** Operations to describe per turn of the event loop, which takes a few milliseconds. */
const OPERATIONS_PER_TURN = 8;
/** Schemas to describe per turn. */
const SCHEMAS_PER_TURN = 32;

/** Generates the OpenAPI 3.1 document in many turns of the event loop, so that other requests do not wait for it. */
export async function documentOf(
  plans: readonly RoutePlan[],
  described: ApiMetadata,
  { productName, origin, features }: Facts,
): Promise<Schema> {
  const shapes = plans.flatMap(({ input }) => [input?.body, input?.sudo].filter((shape) => shape !== undefined));
  const inputs = Object.fromEntries(shapes.map((shape) => [shape.name, schemaOf(shape)]));
  const schemas: Record<string, Schema> = { ...inputs, ...described.schemas, ...errorSchemas(features, described) };
  const named = (ref: string): Schema => schemas[ref.slice(ref.lastIndexOf('/') + 1)] ?? {};
  const paths: Record<string, Record<string, Schema>> = {};
  const tags = new Set<string>();
  const shared = new SharedResponses(features);
  const ids = new Set<unknown>();
  for (const [index, plan] of plans.entries()) {
    if (index % OPERATIONS_PER_TURN === 0) await nextTurn();
    const template = templateOf(plan.path);
    const method = plan.method.toLowerCase();
    const made = operationOf(plan, described, named, shared);
    const id = `${made.operationId}${ids.has(made.operationId) ? pascalCasePath(template) : ''}`;
    const operation = describeMembers({ ...made, operationId: id });
    ids.add(id);
    for (const tag of made.tags as string[]) tags.add(tag);
    paths[template] = { ...paths[template], [method]: operation };
  }
  await nextTurn();
  const webhooks = describeMembers(webhooksOf(described, features));
  return {
    openapi: '3.1.0',
    info: {
      title: productName,
      version: '1',
      description: ABOUT,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      contact: { name: productName, url: origin },
    },
    servers: [{ url: '/' }],
    tags: [
      ...[...tags].sort(byTag).map((name) => ({ name, description: described.tags[name] || name })),
      { name: 'events', description: 'Events for other services, as signed webhooks.' },
    ],
    paths,
    webhooks,
    components: {
      schemas: await describeInTurns(usedSchemas(schemas, [paths, webhooks, shared.components])),
      responses: await describeInTurns(shared.components),
      headers: RESPONSE_HEADERS,
      securitySchemes: securitySchemes(origin, features),
    },
    'x-error-codes': Object.fromEntries(
      [...features.errors].map(([code, [status, message]]) => [code, { status, message }]),
    ),
  };
}

async function describeInTurns(schemas: Readonly<Record<string, Schema>>): Promise<Record<string, Schema>> {
  const described: Record<string, Schema> = {};
  for (const [index, [name, schema]] of Object.entries(schemas).entries()) {
    if (index % SCHEMAS_PER_TURN === 0) await nextTurn();
    described[name] = describeMembers(schema);
  }
  return described;
}

/** The components that are referenced, directly or indirectly. */
function usedSchemas(schemas: Record<string, Schema>, root: unknown): Record<string, Schema> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') visit(member);
      else if (member.startsWith('#/components/schemas/')) {
        const name = member.slice('#/components/schemas/'.length);
        if (names.has(name)) continue;
        names.add(name);
        visit(schemas[name]);
      }
    }
  };
  visit(root);
  return Object.fromEntries([...names].sort().map((name) => [name, schemas[name] ?? {}]));
}
