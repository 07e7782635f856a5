import type { INestApplication } from '@nestjs/common';
import type { ValidateFunction } from 'ajv';
import type { Schema } from '../../src/description/api-metadata.js';
import { ApiDocuments } from '../../src/description/description.service.js';
import { Commands } from '../../src/gateway/commands/commands.service.js';
import { strictSchema } from './described.js';
import type { Payload } from './gateway-client.js';

type Judge = (payload: Payload) => void;

interface Document {
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: Schema }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** Validators by the commands of an application. Applications with the same commands send the same events. */
const judges = new Map<string, Promise<Judge>>();

async function judgeOf(app: INestApplication): Promise<Judge> {
  // Events of an extension are not declared if `gatehouse describe` was not run for it.
  const isWhole = app.get(Commands).all.every(({ isOurs }) => isOurs);
  const { components } = (await app.get(ApiDocuments).gatewayDocument()) as unknown as Document;
  const compile = strictSchema(components.schemas);
  const compiled = new Map<string, ValidateFunction>();
  return (payload) => {
    const { t = '' } = payload;
    const message = components.messages[`EVENT_${t}`];
    if (!message && !isWhole) return;
    if (!message) throw new Error(`the event ${t} is not declared`);
    const validate = compiled.get(t) ?? compile(message.payload);
    compiled.set(t, validate);
    if (validate(payload)) return;
    const faults = validate.errors?.map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
    throw new Error(`the event ${t} is not as declared:\n  ${faults?.join('\n  ')}\n  ${JSON.stringify(payload)}`);
  };
}

/**
 * Asserts that an event of a service matches its declaration in `/asyncapi.json`.
 * @throws Error with the differences
 */
export async function assertDescribedEvent(app: INestApplication, payload: Payload): Promise<void> {
  const key = app.get(Commands).describe();
  const judge = judges.get(key) ?? judgeOf(app);
  judges.set(key, judge);
  (await judge)(payload);
}
