import { Module } from '@nestjs/common';
import { InboxController } from './inbox.controller.js';
import { MailsController } from './mails.controller.js';

/** The development inbox (design.md section 6), and every kind of mail in every language. */
@Module({ controllers: [InboxController, MailsController] })
export class DevelopmentInboxModule {}
