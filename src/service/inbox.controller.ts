import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Int, Text } from '../http/input.js';
import { Inbox } from '../platform/mail/inbox.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall } from '../policy/decorators.js';
import { inboxCsp, inboxPage } from './inbox.page.js';

const DEFAULT_LIMIT = 50;

class InboxQuery {
  @Text({ min: 1, max: 254, optional: true }) to?: string;
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
}

/** Shows messages that a real transport would have sent, for trials and development. */
@Controller('dev')
export class InboxController {
  constructor(
    private readonly inbox: Inbox,
    private readonly config: Config,
  ) {}

  /** Show the development inbox as a page. */
  @Get('inbox')
  @CredentialFree()
  @ApiResponses({ type: 'text/html' })
  async page(@Query() { to, limit }: InboxQuery, @CurrentCall() { res }: Call) {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', inboxCsp(this.config.brand.logo?.url));
    return inboxPage(await this.inbox.list(to, limit ?? DEFAULT_LIMIT), to);
  }

  /** List the messages of the development inbox. */
  @Get('inbox.json')
  @CredentialFree()
  async list(@Query() { to, limit }: InboxQuery) {
    return { messages: await this.inbox.list(to, limit ?? DEFAULT_LIMIT) };
  }

  /** Empty the development inbox. */
  @Delete('inbox')
  @HttpCode(204)
  @CredentialFree()
  clear() {
    return this.inbox.empty();
  }
}
