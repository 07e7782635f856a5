import { Module } from '@nestjs/common';
import { InboxController } from './inbox.controller.js';

/** The development inbox (design.md section 6). */
@Module({ controllers: [InboxController] })
export class DevelopmentInboxModule {}
