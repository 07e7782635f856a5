import type { INestApplication } from '@nestjs/common';
import type { ValidateFunction } from 'ajv';
import type { Schema } from '../../src/description/api-metadata.js';
import { ApiDocuments } from '../../src/description/description.service.js';
import { errorSchemaName } from '../../src/description/error-responses.js';
import { templateOf } from '../../src/description/inputs.js';
import { FeatureRegistry } from '../../src/policy/feature-registry.js';
import { LIFECYCLE_TYPES } from '../../src/policy/lifecycle.js';
import { describePolicy } from '../../src/policy/route-policy.js';
import { Routes } from '../../src/policy/routes.js';
import type { TestResponse } from './exchange.js';
import { Ajv2020 } from './optional-packages.js';
import { recordResponse } from './recorded.js';

/** Error codes that a request can return if no route matches it. */
const OUTSIDE: ReadonlySet<string> = new Set([
  ...['NOT_FOUND', 'BAD_REQUEST', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  ...['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED', 'INTERNAL_SERVER_ERROR'],
]);

const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uri: (text: string) => URL.canParse(text),
};

const BUNDLE = 'gatehouse';
const JSON_TYPE = 'application/json';

/** Closes object schemas, so that objects may have only the declared members. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, strict(part)]));
  if (typeof made.$ref === 'string') made.$ref = made.$ref.replace(/^#/, `${BUNDLE}#`);
  const isClosed = made.type === 'object' && 'properties' in made && !('additionalProperties' in made);
  return isClosed ? { ...made, additionalProperties: false } : made;
}

/** Compiles schemas that may refer to these components. */
export function strictSchema(schemas: Readonly<Record<string, Schema>>): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, formats: FORMATS });
  ajv.addSchema({ components: { schemas: strict(schemas) } }, BUNDLE);
  return (schema) => ajv.compile(strict(schema) as object);
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { $ref: string }>>;
  readonly content?: Readonly<Record<string, { schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-gatehouse-undescribed'?: true;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, { required?: boolean }>>;
  };
}

/** Validates responses against an OpenAPI document. Compiles each schema when it is first needed. */
export class ResponseValidator {
  private readonly compile: (schema: Schema) => ValidateFunction;
  private readonly compiled = new Map<Schema, ValidateFunction>();

  /** If `isWhole` is true, every operation must have a description. */
  constructor(
    private readonly document: Document,
    private readonly isWhole = true,
  ) {
    this.compile = strictSchema(document.components.schemas);
  }

  /** @throws Error with the difference between a response and its description */
  validate(method: string, template: string, received: TestResponse): void {
    const operation = this.document.paths[template]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()];
    if (!operation) throw new Error(`${method} ${template} is not described`);
    if (operation['x-gatehouse-undescribed']) {
      if (this.isWhole) throw new Error(`${method} ${template}: no description names ${operation.operationId}`);
      return;
    }
    const where = `${method} ${template} (${operation.operationId}), ${received.status}`;
    const response = this.responseOf(operation, received.status);
    if (!response) throw new Error(`${where}: the status is not declared${bodyExcerpt(received)}`);
    this.judgeHeaders(response, received, where);
    this.judgeBody(response, method === 'HEAD', received, where);
    if (method !== 'HEAD') recordResponse(operation.operationId, received);
  }

  private responseOf({ responses }: Operation, status: number): Response | undefined {
    const found = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
    return found?.$ref ? this.document.components.responses[found.$ref.split('/').pop() as string] : found;
  }

  private judgeHeaders({ headers = {} }: Response, response: TestResponse, where: string): void {
    for (const name of Object.keys(headers)) {
      const isRequired = this.document.components.headers[name]?.required === true;
      if (isRequired && !response.headers.has(name)) throw new Error(`${where}: ${name} is missing`);
    }
  }

  private judgeBody({ content = {} }: Response, isHead: boolean, response: TestResponse, where: string): void {
    const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    if (response.text === '') {
      if (!isHead && type !== '' && !content[type] && !content['*/*']) {
        throw new Error(`${where}: an empty ${type} is not declared`);
      }
      return;
    }
    const media = content[type] ?? content['*/*'];
    if (!media) throw new Error(`${where}: ${type || 'a body without a type'} is not declared`);
    if (type !== JSON_TYPE) return;
    const { code } = (response.body ?? {}) as { code?: unknown };
    const isRefusal = response.status >= 400 && typeof code === 'string';
    const schema = isRefusal ? errorSchemaIn(media.schema, code) : media.schema;
    if (!schema) throw new Error(`${where}: the code ${code} is not declared`);
    const validate = this.validatorOf(schema);
    if (!validate(response.body)) {
      const faults = validate.errors?.map(
        ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
      );
      throw new Error(`${where}: the body is not as declared:\n  ${faults?.join('\n  ')}${bodyExcerpt(response)}`);
    }
  }

  private validatorOf(schema: Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const validate = this.compile(schema);
    this.compiled.set(schema, validate);
    return validate;
  }
}

/** The declared error schema with this code. */
function errorSchemaIn(schema: Schema, code: string): Schema | undefined {
  const declared = (schema.oneOf as Schema[] | undefined) ?? [schema];
  return declared.find(({ $ref }) => ($ref as string).endsWith(`/${errorSchemaName(code)}`));
}

const bodyExcerpt = ({ text }: TestResponse): string => (text === '' ? '' : `\n  ${text.slice(0, 500)}`);

/** Applications with the same routes and descriptions share the compiled schemas. */
const validators = new Map<string, Promise<ResponseValidator>>();
const running = new Map<string, { readonly routes: Routes; readonly validator: () => Promise<ResponseValidator> }>();

/** Validates every later response of the service at a URL against its own description. */
export function validateResponses(
  url: string,
  app: INestApplication,
  { files, isWhole }: { files: readonly string[]; isWhole: boolean },
): void {
  const routes = app.get(Routes);
  let validator: Promise<ResponseValidator> | undefined;
  const make = () => {
    const plans = routes.all.map(({ controller, handler, method, path, policy, possibleErrors }) =>
      [controller, handler, method, path, describePolicy(policy), ...possibleErrors].join(),
    );
    const features = app.get(FeatureRegistry);
    const rejections = LIFECYCLE_TYPES.map((type) => features.rejectionsOf([type]).join());
    const key = [isWhole, ...files, ...rejections, ...plans].join('\n');
    const known = validators.get(key);
    if (known) return known;
    const made = app
      .get(ApiDocuments)
      .document()
      .then((document) => new ResponseValidator(document as unknown as Document, isWhole));
    validators.set(key, made);
    return made;
  };
  running.set(url, {
    routes,
    validator: () => {
      validator ??= make();
      return validator;
    },
  });
}

/** Stops the validation for a URL, where another service may listen from now on. */
export function stopValidatingResponses(url: string): void {
  running.delete(url);
}

/** @throws Error with the difference between a response and its description */
export async function assertDescribed(
  url: string,
  method: string,
  target: string,
  response: TestResponse,
): Promise<void> {
  const service = running.get(url);
  if (!service || method === 'OPTIONS') return;
  const plan = service.routes.find(method, target.split('?')[0] ?? '');
  if (plan) return (await service.validator()).validate(method, templateOf(plan.path), response);
  const { code } = (response.body ?? {}) as { code?: unknown };
  if (response.status >= 400 && typeof code === 'string' && !OUTSIDE.has(code)) {
    throw new Error(`${method} ${target}: no route is there, and yet ${code}`);
  }
}
