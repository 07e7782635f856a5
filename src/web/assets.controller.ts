import { Controller, Get } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { pathOf, sendFile } from '../http/files/file-responses.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { Pages } from './pages.service.js';

const TYPES = ['text/javascript', 'text/css', 'image/*'];

/** Static files of the pages. Their names contain a content hash, so they never change. */
@Controller('assets')
export class AssetsController {
  constructor(private readonly pages: Pages) {}

  /** Get a static file of the pages. */
  @Get('*file')
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: TYPES, headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  file(@CurrentCall() call: Call) {
    const known = this.pages.asset(pathOf(call).slice('/assets/'.length));
    if (!known) throw new ApiError('NOT_FOUND');
    call.res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    return sendFile(call, known);
  }
}
