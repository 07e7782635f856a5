import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { ApiMetadata, Schema } from './api-metadata.js';

const header = (name: string, description: string): Schema => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
});

/** The headers of the Standard Webhooks specification. */
const HEADERS: readonly Schema[] = [
  header('webhook-id', 'ID of the event. It is the same for each attempt and each endpoint.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header('webhook-signature', 'One or two signatures, separated by a space.'),
];

const RESPONSES: Schema = {
  '2XX': { description: 'The event is delivered.' },
  '410': { description: 'The endpoint is disabled.' },
  default: { description: 'The event is sent again for three days.' },
};

/** `webhooks` of the OpenAPI document: the events for other services (docs/guides/operators/events.md). */
export function webhooksOf({ outgoingEvents }: ApiMetadata, { outgoingEvents: declared }: FeatureRegistry): Schema {
  const entries = [...declared].map(([type, { words }]) => {
    const { summary = '', schema = { type: 'object' } } = outgoingEvents[type] ?? {};
    const members = {
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'Time of the event.' },
      data: schema,
    };
    const body = { type: 'object', required: Object.keys(members), properties: members };
    const operation = {
      ...{ operationId: `event:${type}`, tags: ['events'], parameters: HEADERS },
      summary: summary.replace(/\.$/, '') || words?.['en-US'] || type,
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: RESPONSES,
    };
    return [type, { post: operation }];
  });
  return Object.fromEntries(entries);
}
