import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { validationError } from '../../core/errors.js';
import { isStorable } from '../../core/text/text.js';
import { field, Int } from '../../http/input.js';
import { Authenticated, RateLimit } from '../../policy/decorators.js';
import { MediaUrlService, type SignedUrl } from '../addresses/urls.service.js';

const MAX_URL_BYTES = 8192;

/** A URL as text. The target rules decide later whether it may be fetched. */
function MediaUrl(): PropertyDecorator {
  const bound = { bound: MAX_URL_BYTES, tooLong: 'INVALID_MEDIA_URL' } as const;
  return field({ ...bound, description: { type: 'string', format: 'uri' } }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    return isStorable(value) && Buffer.byteLength(value) <= MAX_URL_BYTES ? undefined : 'INVALID_MEDIA_URL';
  });
}

class SignInput {
  @MediaUrl() url: string;
  @Int({ min: 60, max: 604_800, optional: true }) expires_in?: number;
}

@Controller('v1/media/external')
export class ExternalController {
  constructor(private readonly urls: MediaUrlService) {}

  /** Create a signed URL for external media. */
  @Post()
  @HttpCode(200)
  @Authenticated()
  @RateLimit('media:external')
  sign(@Body() { url, expires_in }: SignInput): SignedUrl {
    const signed = this.urls.sign(url, expires_in === undefined ? {} : { expiresIn: expires_in });
    if (!signed) throw validationError('url', 'INVALID_MEDIA_URL');
    return signed;
  }
}
