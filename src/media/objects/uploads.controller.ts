import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Authenticated, CurrentIdentity, RateLimit } from '../../policy/decorators.js';
import type { Identity } from '../../policy/identity.js';
import { MediaService } from './media.service.js';
import { CompleteInput, PlanInput } from './uploads.dto.js';

@Controller('v1/media/uploads')
export class UploadsController {
  constructor(private readonly media: MediaService) {}

  /** Plan uploads and get an upload URL for each file. */
  @Post()
  @HttpCode(200)
  @Authenticated()
  @RateLimit('media:upload')
  plan(@CurrentIdentity() me: Identity, @Body() { attachments }: PlanInput) {
    return this.media.plan(me, attachments);
  }

  /** Complete uploads whose bytes have been stored. */
  @Post('complete')
  @HttpCode(200)
  @Authenticated()
  @RateLimit('media:upload')
  complete(@CurrentIdentity() me: Identity, @Body() { uploads }: CompleteInput) {
    return this.media.complete(
      me,
      uploads.map(({ upload_filename }) => upload_filename),
    );
  }
}
