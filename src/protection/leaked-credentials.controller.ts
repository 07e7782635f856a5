import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { isText } from '../core/text/text.js';
import { ListOf } from '../http/input.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { LeakReports } from './leak-reports.service.js';

const MAX_CREDENTIAL_LENGTH = 2048;

class LeakedCredentialsInput {
  @ListOf(
    {
      ...{ min: 1, max: 100, bound: MAX_CREDENTIAL_LENGTH, tooLong: 'CONTENT_EXCEEDS_MAX_LENGTH' },
      items: { type: 'string', minLength: 1, maxLength: MAX_CREDENTIAL_LENGTH },
    },
    (found) => (isText(found) && found !== '' ? undefined : 'INVALID_FORMAT'),
  )
  credentials: string[];
}

@Controller('v1/credentials')
export class LeakedCredentialsController {
  constructor(private readonly reports: LeakReports) {}

  /** Revoke leaked credentials, regardless of their owner. */
  @Post('revoke')
  @HttpCode(202)
  @CredentialFree()
  @RateLimit('credential:revoke')
  async revoke(@Body() { credentials }: LeakedCredentialsInput, @CurrentCall() call: Call) {
    await this.reports.enqueue(credentials, call.id);
    return {};
  }
}
