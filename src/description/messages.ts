import type { CommandPlan } from '../gateway/commands/command.js';
import { commandName } from '../gateway/commands/commands.service.js';
import { CLOSING, OP } from '../gateway/protocol/protocol.js';
import { schemaOf } from '../http/input.js';
import { describePolicy } from '../policy/route-policy.js';
import type { ApiMetadata, CommandMetadata, PayloadMetadata, Schema } from './api-metadata.js';
import type { Facts } from './document.js';

const ABOUT = [
  'The real-time gateway: connect, receive Hello, send Identify and heartbeats, and send Resume after a lost connection.',
  'If the gateway rejects a client, the close code has the reason: `x-close-codes`.',
  'The error of a command of an extension is the event `REFUSED` with one of the codes in `x-gatehouse-refusals`.',
].join(' ');

const CHANNEL = { $ref: '#/channels/gateway' };
const words = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ');
const messageRef = (name: string) => ({ $ref: `#/components/messages/${name}` });
const inChannel = (name: string) => ({ $ref: `#/channels/gateway/messages/${name}` });

/**
 * The schema of a frame with this opcode.
 * @param more members in addition to `op` and `d`
 */
function frame(op: number, payload: PayloadMetadata, more: Record<string, Schema> = {}): Schema {
  const properties = { op: { const: op }, ...more, ...(payload.schema ? { d: payload.schema } : {}) };
  return { type: 'object', properties, required: Object.keys(properties) };
}

const message = (name: string, summary: string, payload: Schema): Schema => ({
  name,
  title: words(name),
  ...(summary === '' ? {} : { summary }),
  payload,
});

/** Messages from the service: frames by opcode, and one dispatch per event. */
function serverMessages({ gateway }: ApiMetadata): Record<string, Schema> {
  const frames = Object.entries(gateway.server).map(([name, payload]) => [
    `SERVER_${name}`,
    message(name, payload.summary, frame(OP[name as keyof typeof OP], payload)),
  ]);
  const events = Object.entries(gateway.events).map(([name, payload]) => {
    const more = { s: { type: 'integer', minimum: 1 }, t: { const: name } };
    return [`EVENT_${name}`, message(name, payload.summary, frame(OP.DISPATCH, payload, more))];
  });
  return Object.fromEntries([...frames, ...events]);
}

/** The codes of `REFUSED` for a command: those of its guards and its handler. */
const commandErrors = ({ refusals }: CommandPlan, handler: CommandMetadata | undefined): string[] =>
  [...new Set([...refusals, ...(handler?.codes ?? []), 'INTERNAL_SERVER_ERROR'])].sort();

/** Messages from clients: built-in opcodes, and commands of extensions with their payload classes. */
function clientMessages(described: ApiMetadata, plans: readonly CommandPlan[]) {
  const messages: Record<string, Schema> = {};
  const operations: Record<string, Schema> = {};
  for (const plan of plans) {
    const name = commandName(plan).replace(/^\d+ /, '');
    const known = plan.isOurs ? described.gateway.client[name] : undefined;
    const schema = plan.input && schemaOf(plan.input);
    const handler = described.gateway.commands[plan.gateway]?.[plan.handler];
    const payload = known ?? { summary: handler?.summary ?? '', ...(schema ? { schema } : {}) };
    const isNamed = typeof plan.message === 'string';
    const op = typeof plan.message === 'string' ? OP.DISPATCH : plan.message;
    const key = `CLIENT_${name}`;
    messages[key] = message(name, payload.summary, frame(op, payload, isNamed ? { t: { const: plan.message } } : {}));
    operations[`receive${key}`] = {
      action: 'receive',
      channel: CHANNEL,
      messages: [inChannel(key)],
      'x-gatehouse-policy': describePolicy(plan.policy),
      ...(plan.isOurs ? {} : { 'x-gatehouse-refusals': commandErrors(plan, handler) }),
      ...(plan.isBeforeIdentify ? { 'x-gatehouse-before-identify': true } : {}),
    };
  }
  return { messages, operations };
}

/**
 * The AsyncAPI 3 document of the gateway from the perspective of the service: it receives commands and sends events.
 */
export function messagesOf(
  described: ApiMetadata,
  plans: readonly CommandPlan[],
  { productName, origin }: Facts,
): Schema {
  const ours = serverMessages(described);
  const theirs = clientMessages(described, plans);
  const messages = { ...theirs.messages, ...ours };
  const { protocol, host } = new URL(origin);
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${productName} gateway`,
      version: '1',
      description: ABOUT,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: { gateway: { host, pathname: '/gateway', protocol: protocol === 'https:' ? 'wss' : 'ws' } },
    channels: {
      gateway: {
        address: '/gateway',
        title: 'The gateway',
        messages: Object.fromEntries(Object.keys(messages).map((name) => [name, messageRef(name)])),
      },
    },
    operations: {
      ...theirs.operations,
      send: { action: 'send', channel: CHANNEL, messages: Object.keys(ours).map(inChannel) },
    },
    components: { messages, schemas: described.schemas },
    'x-close-codes': Object.values(CLOSING).map(([code, reason]) => ({ code, reason })),
  };
}
