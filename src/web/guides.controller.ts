import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { pathOf, sendFile } from '../http/files/file-responses.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { GUIDE_HEADERS } from './content-policy.js';
import { Guides } from './guides.service.js';

const TYPES = ['text/html', 'text/javascript', 'text/css', 'text/plain', 'application/json', 'image/*'];

/** The guides, which `npm run build` builds. */
@Controller('guides')
export class GuidesController {
  constructor(private readonly guides: Guides) {}

  /** Redirect to the first page of the guides. */
  @Get()
  @HttpCode(302)
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ headers: ['Location'], description: 'The first page' })
  start(@CurrentCall() { res }: Call) {
    if (!this.guides.file('start')) throw new ApiError('NOT_FOUND');
    res.setHeader('Location', '/guides/start');
  }

  /** Get a page or a file of the guides. */
  @Get('*path')
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: TYPES, headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  file(@CurrentCall() call: Call) {
    const path = pathOf(call).slice('/guides/'.length);
    const known = this.guides.file(path);
    if (!known) throw new ApiError('NOT_FOUND');
    for (const [name, value] of Object.entries(GUIDE_HEADERS)) call.res.setHeader(name, value);
    // Names of these files contain a content hash.
    if (path.startsWith('assets/')) call.res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    return sendFile(call, known);
  }
}
