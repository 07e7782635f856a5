import type { MediaUrlService } from '../media/addresses/urls.service.js';
import type { Embed } from './message-input.js';
import type { StoredAttachment, WebhookMessage } from './webhook.entities.js';

type Members = Readonly<Record<string, unknown>>;

/** Adds the proxy URL of an image next to its URL; `null` if the URL violates the target rules. */
function withProxy(part: unknown, from: string, to: string, urls: MediaUrlService): unknown {
  const url = (part as Members | undefined)?.[from];
  return typeof url === 'string' ? { ...(part as Members), [to]: urls.sign(url)?.proxy_url ?? null } : part;
}

function embedView(embed: Embed, urls: MediaUrlService): Members {
  const view: Record<string, unknown> = { ...embed };
  for (const name of ['image', 'thumbnail']) {
    if (name in view) view[name] = withProxy(view[name], 'url', 'proxy_url', urls);
  }
  for (const name of ['footer', 'author']) {
    if (name in view) view[name] = withProxy(view[name], 'icon_url', 'proxy_icon_url', urls);
  }
  return view;
}

const attachmentView = ({ key, ...attachment }: StoredAttachment, urls: MediaUrlService) => ({
  ...attachment,
  url: urls.attachment(key),
});

export type MessageView = ReturnType<typeof messageView>;

/** The view of a message (webhooks.md section 1). */
export const messageView = (message: Omit<WebhookMessage, 'expiresAt'>, urls: MediaUrlService) => ({
  id: message.id,
  webhook_id: message.webhookId,
  application_id: message.applicationId,
  type: 0,
  author: {
    id: message.webhookId,
    username: message.username,
    discriminator: '0000',
    avatar: message.avatar,
    avatar_url: message.avatarUrl === null ? null : (urls.sign(message.avatarUrl)?.proxy_url ?? null),
    bot: true,
    flags: 0,
  },
  content: message.content,
  embeds: message.embeds.map((embed) => embedView(embed, urls)),
  attachments: message.attachments.map((attachment) => attachmentView(attachment, urls)),
  flags: message.flags,
  ...(message.nonce === null ? {} : { nonce: message.nonce }),
  timestamp: message.createdAt.toISOString(),
  edited_timestamp: message.editedAt?.toISOString() ?? null,
});
