import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { JSON_LIMIT, readJson } from '../http/body.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { readGitHub } from './github.js';
import { type Repeatable, WebhookMessageService } from './messages.service.js';
import { readSlack } from './slack.js';
import { WebhookTokenService } from './webhook-tokens.service.js';
import type { TokenPath } from './webhooks.dto.js';

const GITHUB_LIMIT = 1024 * 1024;
/** Higher than for clients, because a GitHub push event has 20 members per commit. */
const MAX_MEMBERS = 100_000;
const DELIVERY_SECONDS = 24 * 3600;

const headerOf = ({ req }: Call, name: string): string => {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
};

function deliveryOf(call: Call): Repeatable | undefined {
  const id = headerOf(call, 'x-github-delivery');
  return id === '' ? undefined : { kind: 'delivery', value: hash('sha256', id, 'hex'), seconds: DELIVERY_SECONDS };
}

/** Callbacks of other services. Their signatures are not checked, because the URL is the credential. */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly tokens: WebhookTokenService,
    private readonly messages: WebhookMessageService,
  ) {}

  async slack(call: Call, path: TokenPath): Promise<typeof RESPONSE_HANDLED> {
    const webhook = await this.tokens.resolve(call, path);
    await this.messages.create(webhook, readSlack(await readJson(call, JSON_LIMIT, MAX_MEMBERS)));
    call.res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': 2 }).end('ok');
    return RESPONSE_HANDLED;
  }

  async github(call: Call, path: TokenPath): Promise<void> {
    const webhook = await this.tokens.resolve(call, path);
    const input = readGitHub(headerOf(call, 'x-github-event'), await readJson(call, GITHUB_LIMIT, MAX_MEMBERS));
    if (!input) return;
    const repeat = deliveryOf(call);
    try {
      await this.messages.create(webhook, input, repeat ? { repeat } : {});
    } catch (error) {
      // The message of a repeated delivery was deleted. The delivery still counts as handled.
      if (!repeat || !(error instanceof ApiError) || error.code !== 'UNKNOWN_MESSAGE') throw error;
    }
  }
}
