import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { getOrigin } from '../accounts/events/origin.js';
import type { Call } from '../policy/call.js';
import { Accepts, Authenticated, CurrentCall, CurrentIdentity, RateLimit, RequiresSudo } from '../policy/decorators.js';
import { WebhookMessageService } from './messages.service.js';
import { AVATAR_BODY_LIMIT, CreateWebhookInput, EditWebhookInput, MessagesQuery, WebhookPath } from './webhooks.dto.js';
import { type WebhookCaller, WebhookService } from './webhooks.service.js';

/** Webhooks of the caller (webhooks.md section 2). */
@Controller('v1')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly messages: WebhookMessageService,
  ) {}

  /** List the webhooks of the caller. */
  @Get('users/@me/webhooks')
  @Authenticated()
  @RateLimit('webhook:list')
  list(@CurrentIdentity() me: WebhookCaller) {
    return this.webhooks.list(me);
  }

  /** Create a webhook. The response contains its token. */
  @Post('users/@me/webhooks')
  @HttpCode(200)
  @Header('Pragma', 'no-cache')
  @Authenticated()
  @RateLimit('webhook:create')
  @Accepts('json', { limit: AVATAR_BODY_LIMIT })
  create(@CurrentIdentity() me: WebhookCaller, @Body() input: CreateWebhookInput) {
    return this.webhooks.create(me, input);
  }

  /** Get a webhook of the caller. */
  @Get('webhooks/:id')
  @Authenticated()
  @RateLimit('webhook:read', { per: 'id' })
  show(@CurrentIdentity() me: WebhookCaller, @Param() { id }: WebhookPath) {
    return this.webhooks.show(me, id);
  }

  /** Change a webhook. */
  @Patch('webhooks/:id')
  @Authenticated()
  @RateLimit('webhook:update', { per: 'id' })
  @Accepts('json', { limit: AVATAR_BODY_LIMIT })
  edit(@CurrentIdentity() me: WebhookCaller, @Param() { id }: WebhookPath, @Body() input: EditWebhookInput) {
    return this.webhooks.edit(me, id, input);
  }

  /** Delete a webhook. */
  @Delete('webhooks/:id')
  @HttpCode(204)
  @Authenticated()
  @RateLimit('webhook:delete', { per: 'id' })
  delete(@CurrentIdentity() me: WebhookCaller, @Param() { id }: WebhookPath) {
    return this.webhooks.delete(me, id);
  }

  /** Rotate the token of a webhook. */
  @Post('webhooks/:id/token/rotate')
  @HttpCode(200)
  @Header('Pragma', 'no-cache')
  @Authenticated()
  @RequiresSudo()
  @RateLimit('webhook:rotate', { per: 'id' })
  rotate(@CurrentIdentity() me: WebhookCaller, @Param() { id }: WebhookPath, @CurrentCall() call: Call) {
    return this.webhooks.rotate(me, id, getOrigin(call));
  }

  /** List the messages of a webhook, newest first. */
  @Get('webhooks/:id/messages')
  @Authenticated()
  @RateLimit('webhook:messages', { per: 'id' })
  history(@CurrentIdentity() me: WebhookCaller, @Param() { id }: WebhookPath, @Query() query: MessagesQuery) {
    return this.messages.list(me, id, query);
  }
}
