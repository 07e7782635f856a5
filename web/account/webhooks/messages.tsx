import type { GatewayEvents, paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { onGatewayEvent } from '../../core/gateway-events.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { type Loaded, Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { Empty } from '../../kit/shown.js';

type Message = ResponseBody<paths, '/v1/webhooks/{id}/messages', 'get'>[number];

/** The displayed members of an embed (webhooks.md 4.2). */
interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const PAGE = 50;
const SUPPRESSES_EMBEDS = 1 << 2;

/** Reads a gateway event about a message: its current state, or null if it was deleted. */
function parseMessageEvent(
  name: keyof GatewayEvents,
  data: unknown,
): { of: string; id: string; now: Message | null } | null {
  if (name === 'WEBHOOK_MESSAGE_CREATE' || name === 'WEBHOOK_MESSAGE_UPDATE') {
    const message = data as Message;
    return { of: message.webhook_id, id: message.id, now: message };
  }
  if (name !== 'WEBHOOK_MESSAGE_DELETE') return null;
  const { webhook_id: of, id } = data as GatewayEvents['WEBHOOK_MESSAGE_DELETE'];
  return { of, id, now: null };
}

const newestFirst = (one: Message, other: Message): number =>
  other.id.length - one.id.length || (other.id < one.id ? -1 : 1);

/** Loads pages of messages and merges later gateway events into them. */
function useMessages(id: string) {
  const path = { id };
  const older = useSignal<readonly Message[]>([]);
  const changed = useSignal<ReadonlyMap<string, Message | null>>(new Map());
  const hasMore = useSignal(false);
  const page = (before?: string) => {
    const query = { limit: PAGE, ...(before ? { before } : {}) };
    return api.get('/v1/webhooks/{id}/messages', { path, query });
  };
  const loaded: Loaded<Message[]> = useLoaded(async () => {
    changed.value = new Map();
    const newest = await page();
    const known = [...(loaded.value.peek() ?? []), ...older.peek()];
    const last = newest.at(-1);
    // Without an overlap, messages between the two lists would be missing.
    const isJoined = known.some((one) => one.id === last?.id);
    older.value = last && isJoined ? known.filter((one) => newestFirst(last, one) < 0) : [];
    if (!isJoined) hasMore.value = newest.length === PAGE;
    return newest;
  }, ['READY']);
  useEffect(
    () =>
      onGatewayEvent((name, data) => {
        const event = parseMessageEvent(name, data);
        if (event?.of === id) changed.value = new Map(changed.value).set(event.id, event.now);
      }),
    [id, changed],
  );
  const all = (newest: readonly Message[]): readonly Message[] => {
    const known = new Map<string, Message | null>([...newest, ...older.value].map((one) => [one.id, one]));
    for (const [messageId, now] of changed.value) known.set(messageId, now);
    return [...known.values()].filter((one) => one !== null).sort(newestFirst);
  };
  const more = useAction(async () => {
    const further = await page(all(loaded.value.value ?? []).at(-1)?.id);
    older.value = [...older.value, ...further];
    hasMore.value = further.length === PAGE;
  });
  return { loaded, all, more, hasMore };
}

const Embedded = ({ embed: { title, description, fields = [] } }: { readonly embed: Embed }) => (
  <blockquote class="stack tight verbatim">
    {title && <strong>{title}</strong>}
    {description && <p>{description}</p>}
    {fields.map(({ name, value }, index) => (
      <p key={index}>
        <strong>{name}</strong> {value}
      </p>
    ))}
  </blockquote>
);

const Posted = ({ message }: { readonly message: Message }) => (
  <li>
    <div class="stack tight">
      <p class="small quiet">
        <strong>
          <bdi>{message.author.username}</bdi>
        </strong>{' '}
        <time dateTime={message.timestamp}>{formatDateTime(message.timestamp)}</time>
        {message.edited_timestamp && ` (${t('webhooks.edited')})`}
      </p>
      {message.content && (
        <p class="verbatim" dir="auto">
          {message.content}
        </p>
      )}
      {!(message.flags & SUPPRESSES_EMBEDS) &&
        message.embeds.map((embed, index) => <Embedded key={index} embed={embed as Embed} />)}
      {message.attachments.map(({ id, url, filename }) => (
        <a key={id} href={url} target="_blank" rel="noopener noreferrer">
          {filename}
        </a>
      ))}
    </div>
  </li>
);

/** Messages of the webhook, newest first. New ones appear immediately. */
export function Messages({ id }: { readonly id: string }) {
  const { loaded, all, more, hasMore } = useMessages(id);
  return (
    <section class="section" aria-labelledby="messages">
      <h2 id="messages">{t('webhooks.messages')}</h2>
      <Loading of={loaded}>
        {(newest) => {
          const messages = all(newest);
          if (messages.length === 0) return <Empty>{t('webhooks.noMessages')}</Empty>;
          return (
            <div role="log" aria-labelledby="messages">
              <ul class="list">
                {messages.map((message) => (
                  <Posted key={message.id} message={message} />
                ))}
              </ul>
            </div>
          );
        }}
      </Loading>
      <FailureNotice of={more} />
      {hasMore.value && (
        <div>
          <Button kind="plain" size="small" action={more}>
            {t('webhooks.more')}
          </Button>
        </div>
      )}
    </section>
  );
}
