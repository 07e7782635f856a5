import { type RoutePlan, servesPages } from '../policy/plan.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import { describePolicy } from '../policy/route-policy.js';
import { exampleResponse } from './answers.js';
import type { ApiMetadata, HandlerMetadata, Schema } from './api-metadata.js';
import { securityOf } from './credentials.js';
import { ERROR_HEADERS, errorCodesOf, errorSchemaName, errorsByStatus, isParserStatus } from './error-responses.js';
import { headerParameters, headersOf } from './headers.js';
import { bodyOf, parametersOf } from './inputs.js';
import type { SharedResponses } from './shared-responses.js';

const KIND = 'Controller';
const JSON_TYPE = 'application/json';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `SessionsController.list` becomes `sessionsList`. The ID is stable unless the code is renamed. */
export const operationIdOf = ({ controller, handler }: RoutePlan): string =>
  `${lowerFirst(controller.endsWith(KIND) ? controller.slice(0, -KIND.length) : controller)}${upperFirst(handler)}`;

/** Generates an OpenAPI operation from its plan, its input rules and its handler metadata. */
export function operationOf(
  plan: RoutePlan,
  described: ApiMetadata,
  named: (ref: string) => Schema,
  shared: SharedResponses,
): Schema {
  const controller = described.controllers[plan.controller];
  const handler = controller?.handlers[plan.handler];
  const parameters = [...parametersOf(plan), ...headerParameters(plan, handler)];
  const requestBody = bodyOf(plan, named);
  const policy = `Policy: \`${describePolicy(plan.policy)}\``;
  return {
    operationId: operationIdOf(plan),
    summary: handler?.summary ?? operationIdOf(plan),
    description: handler?.description ? `${handler.description}\n\n${policy}` : policy,
    tags: [controller?.tag ?? 'other'],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(plan, handler, shared),
    security: securityOf(plan.policy),
    ...policyExtensions(plan.policy),
    ...(handler?.fieldCodes.length ? { 'x-gatehouse-field-codes': handler.fieldCodes } : {}),
    ...(handler ? {} : { 'x-gatehouse-undescribed': true }),
  };
}

function policyExtensions({ kind, acl, scope, bucket, sudo, captcha }: RoutePolicy): Schema {
  return {
    'x-gatehouse-policy': kind,
    ...(acl ? { 'x-gatehouse-acls': { [acl.mode]: acl.acls } } : {}),
    ...(scope ? { 'x-gatehouse-scope': scope } : {}),
    ...(bucket ? { 'x-gatehouse-bucket': bucket } : {}),
    ...(sudo ? { 'x-gatehouse-sudo': sudo.when || sudo.isOptional ? 'sometimes' : 'always' } : {}),
    ...(captcha ? { 'x-gatehouse-captcha': true } : {}),
  };
}

/** Says what a response contains, in the words of its schema. */
function contentOf(content: Record<string, Schema>): string {
  const json = content[JSON_TYPE]?.schema as Schema | undefined;
  if (!json) return `A file of type ${Object.keys(content).join(', ')}`;
  const nameOf = ({ $ref }: Schema): string | undefined => ($ref as string | undefined)?.split('/').at(-1);
  const items = json.items as Schema | undefined;
  if (items) return nameOf(items) ? `An array of \`${nameOf(items)}\` objects` : 'An array';
  const names = ((json.anyOf as Schema[] | undefined) ?? [json]).map(nameOf);
  return names.every((name) => name !== undefined)
    ? `An object of type ${names.map((name) => `\`${name}\``).join(' or ')}`
    : `An object with ${
        Object.keys(json.properties ?? {})
          .map((name) => `\`${name}\``)
          .join(', ') || 'members'
      }`;
}

const headersFor = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function responsesOf(plan: RoutePlan, handler: HandlerMetadata | undefined, shared: SharedResponses): Schema {
  const responses: Record<string, Schema> = {};
  for (const [status, response] of successResponses(plan, handler)) responses[status] = response;
  for (const [status, codes] of errorsByStatus(errorCodesOf(plan, handler, shared.features), shared.features)) {
    const refs = codes.map((code) => ({ $ref: `#/components/schemas/${errorSchemaName(code)}` }));
    const mapping = Object.fromEntries(codes.map((code, index) => [code, refs[index]?.$ref]));
    const schema = refs.length === 1 ? refs[0] : { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
    const isLimited = plan.policy.bucket !== undefined && !isParserStatus(status);
    const isPage = servesPages(plan);
    const variant = [isLimited || isParserStatus(status) ? [] : 'unlimited', isPage ? 'page' : []].flat().join('.');
    responses[status] = shared.share(status, codes, variant, {
      description: codes.map((code) => `\`${code}\``).join(', '),
      headers: headersFor([...headersOf(isLimited), ...(ERROR_HEADERS[Number(status)] ?? [])]),
      content: { 'application/json': { schema }, ...(isPage && { 'text/html': { schema: {} } }) },
    });
  }
  return responses;
}

const withExample = (plan: RoutePlan, status: string, content: Record<string, Schema>): Record<string, Schema> =>
  content[JSON_TYPE]
    ? { ...content, [JSON_TYPE]: { ...content[JSON_TYPE], ...exampleResponse(operationIdOf(plan), status) } }
    : content;

/** The success responses: the returned JSON and the responses that decorators declare. */
function successResponses(plan: RoutePlan, handler: HandlerMetadata | undefined): Map<string, Schema> {
  const found = new Map<string, { headers: Set<string>; content: Record<string, Schema>; texts: string[] }>();
  const at = (status: number) => {
    const known = found.get(String(status)) ?? {
      headers: new Set(headersOf(plan.policy.bucket !== undefined)),
      content: {},
      texts: [],
    };
    found.set(String(status), known);
    if (plan.policy.sudo && plan.policy.sudo.issuesProof !== false) known.headers.add('X-Service-Sudo-Mode-JWT');
    return known;
  };
  for (const { status = plan.status, type = [], headers = [], description } of plan.responses) {
    const response = at(status);
    for (const header of headers) response.headers.add(header);
    for (const media of [type].flat()) response.content[media] = { schema: {} };
    if (description) response.texts.push(description);
  }
  if (servesPages(plan) && plan.path.includes('*')) {
    const response = at(302);
    response.headers.add('Location');
    response.texts.push('The same page, without a slash at the end of its URL');
  }
  if (handler?.answer) at(plan.status).content['application/json'] = { schema: handler.answer };
  if (found.size === 0) at(plan.status);
  return new Map(
    [...found].map(([status, { headers, content, texts }]) => [
      status,
      {
        description:
          texts.join(' ') || (Object.keys(content).length > 0 ? contentOf(content) : 'Success. The body is empty'),
        headers: headersFor([...headers]),
        ...(Object.keys(content).length > 0 ? { content: withExample(plan, status, content) } : {}),
      },
    ]),
  );
}
