import { Module } from '@nestjs/common';
import { InboxController } from './inbox.controller.js';
import { MailsController } from './mails.controller.js';

/** Development inbox (design.md section 6) and samples of every kind of email in every language. */
@Module({ controllers: [InboxController, MailsController] })
export class DevelopmentInboxModule {}
