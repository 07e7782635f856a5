import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { GatewayEventsModule } from '../gateway/sessions/gateway-events.module.js';
import { MediaModule } from '../media/media.module.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { CallbacksController } from './callbacks.controller.js';
import { CallbacksService } from './callbacks.service.js';
import { ExecutionController } from './execution.controller.js';
import { ExecutionService } from './execution.service.js';
import { MessageEvents } from './message-events.service.js';
import { MessageFiles } from './message-files.service.js';
import { WebhookMessageService } from './messages.service.js';
import { WebhookUpkeep } from './upkeep.service.js';
import { WebhookTokenService } from './webhook-tokens.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookService } from './webhooks.service.js';

/** Webhooks, their messages, and access by token. */
@Module({
  imports: [DiscoveryModule, AccountsModule, AuthModule, OAuthModule, GatewayEventsModule, MediaModule],
  controllers: [WebhooksController, ExecutionController, CallbacksController],
  providers: [
    ...[WebhookService, WebhookTokenService, WebhookMessageService, WebhookUpkeep, ExecutionService, CallbacksService],
    ...[MessageFiles, MessageEvents],
  ],
  exports: [WebhookService, WebhookTokenService, WebhookMessageService],
})
export class WebhooksModule {}
