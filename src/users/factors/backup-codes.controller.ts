import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, RequiresSudo, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { MailedCodeInput, MailTicketInput } from '../contact/email-change.dto.js';
import { BackupCodesInput, RegenerateInput } from './backup-codes.dto.js';
import { BackupCodes } from './backup-codes.service.js';
import { BackupCodesChallenge } from './backup-codes-challenge.service.js';

@Controller('v1/users/@me/mfa/backup-codes')
export class BackupCodesController {
  constructor(
    private readonly codes: BackupCodes,
    private readonly challenge: BackupCodesChallenge,
  ) {}

  /** Show the backup codes, or generate new ones. */
  @Post()
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:mfa:backup_codes')
  async show(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { regenerate }: BackupCodesInput,
    @CurrentCall() call: Call,
  ) {
    const codes = regenerate ? await this.codes.regenerate(me, getOrigin(call)) : await this.codes.list(me.account);
    return { backup_codes: codes };
  }

  /** Email a code that is required to show the backup codes. */
  @Post('challenge')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:mfa:backup_codes_challenge:start')
  start(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.challenge.start(me, getOrigin(call));
  }

  /** Resend the code that is required to show the backup codes. */
  @Post('challenge/resend')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('user:mfa:backup_codes_challenge:resend')
  resend(@CurrentIdentity() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @CurrentCall() call: Call) {
    return this.challenge.resend(me, ticket, getOrigin(call));
  }

  /** Verify the emailed code and show the backup codes. */
  @Post('challenge/verify')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:mfa:backup_codes_challenge:verify')
  verify(@CurrentIdentity() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.challenge.verify(me, input);
  }

  /** Generate new backup codes after the emailed code is verified. */
  @Post('challenge/regenerate')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:mfa:backup_codes_challenge:regenerate')
  regenerate(@CurrentIdentity() me: SessionIdentity, @Body() input: RegenerateInput, @CurrentCall() call: Call) {
    return this.challenge.regenerate(me, input, getOrigin(call));
  }
}
