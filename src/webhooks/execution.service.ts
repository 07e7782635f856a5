import { Injectable } from '@nestjs/common';
import { ApiError, type FieldFault, fieldError } from '../core/errors.js';
import { hasBody, JSON_LIMIT, mediaType, readJson } from '../http/body.js';
import { validateShape } from '../http/input.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import type { MessageView } from './message.views.js';
import { MessageFiles } from './message-files.service.js';
import { readEdit, readMessage } from './message-input.js';
import { WebhookMessageService } from './messages.service.js';
import { type AuthenticatedWebhook, WebhookTokenService } from './webhook-tokens.service.js';
import { AVATAR_BODY_LIMIT, EditWebhookInput, type MessagePath, type TokenPath } from './webhooks.dto.js';
import { WebhookService } from './webhooks.service.js';

/** The view for callers with the token. It contains nothing about the owner (webhooks.md section 1). */
const tokenView = ({ id, applicationId, name, avatar }: Omit<AuthenticatedWebhook, 'digest'>) => ({
  id,
  application_id: applicationId,
  name,
  avatar,
});

const EDITABLE: ReadonlySet<string> = new Set(['name', 'avatar']);

/** @throws ApiError FV(member: ...); members that cannot be edited are also listed */
function parseEdit(body: Record<string, unknown>): EditWebhookInput {
  const { instance, faults } = validateShape(EditWebhookInput, body);
  const foreign: FieldFault[] = Object.keys(body)
    .filter((name) => !EDITABLE.has(name))
    .map((name) => fieldError(name, 'INVALID_FORMAT'));
  const errors = [...faults, ...foreign].slice(0, 100);
  if (errors.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors });
  return instance;
}

/** True if the last `wait` parameter is `true`, `True` or `1`. */
const wantsMessage = (url: string): boolean =>
  ['true', 'True', '1'].includes(new URLSearchParams(url.split('?').slice(1).join('?')).getAll('wait').at(-1) ?? '');

/**
 * Operations of callers with the token of a webhook (webhooks.md sections 3 to 5).
 * The token is checked before the body is read, so these operations read their bodies themselves.
 */
@Injectable()
export class ExecutionService {
  constructor(
    private readonly tokens: WebhookTokenService,
    private readonly webhooks: WebhookService,
    private readonly messages: WebhookMessageService,
    private readonly files: MessageFiles,
  ) {}

  async show(call: Call, path: TokenPath) {
    return tokenView(await this.tokens.resolve(call, path));
  }

  async edit(call: Call, path: TokenPath) {
    const webhook = await this.tokens.resolve(call, path);
    const input = parseEdit(await readJson(call, AVATAR_BODY_LIMIT));
    return tokenView(await this.webhooks.change(webhook, input, (tx) => this.tokens.lock(tx, webhook)));
  }

  async delete(call: Call, path: TokenPath): Promise<void> {
    const webhook = await this.tokens.resolve(call, path);
    await this.webhooks.remove(webhook, (tx) => this.tokens.lock(tx, webhook));
  }

  /** Responds with 200 and the message if the caller waits for it, otherwise with 204. */
  async execute(call: Call, path: TokenPath): Promise<MessageView | typeof RESPONSE_HANDLED> {
    const webhook = await this.tokens.resolve(call, path);
    const isForm = mediaType(call.req) === 'multipart/form-data' && hasBody(call.req);
    const message = isForm ? await this.sendForm(call, webhook) : await this.sendJson(call, webhook);
    if (wantsMessage(call.req.url ?? '')) return message;
    call.res.writeHead(204).end();
    return RESPONSE_HANDLED;
  }

  private async sendJson(call: Call, webhook: AuthenticatedWebhook): Promise<MessageView> {
    const input = readMessage(await readJson(call, JSON_LIMIT));
    return (await this.messages.create(webhook, input)).message;
  }

  private sendForm(call: Call, webhook: AuthenticatedWebhook): Promise<MessageView> {
    return this.files.receive(call, async (form) => {
      const input = readMessage(form.members, form.limits);
      const files = await this.files.publish(webhook, form, input.attachments);
      return (await this.messages.create(webhook, input, { files })).message;
    });
  }

  async showMessage(call: Call, path: MessagePath): Promise<MessageView> {
    const { id } = await this.tokens.resolve(call, path);
    return this.messages.show(id, path.message_id);
  }

  async editMessage(call: Call, path: MessagePath): Promise<MessageView> {
    const webhook = await this.tokens.resolve(call, path);
    return this.messages.edit(webhook, path.message_id, readEdit(await readJson(call, JSON_LIMIT)));
  }

  async deleteMessage(call: Call, path: MessagePath): Promise<void> {
    await this.messages.delete(await this.tokens.resolve(call, path), path.message_id);
  }
}
