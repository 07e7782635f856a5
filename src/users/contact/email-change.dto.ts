import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { Email, Text } from '../../http/input.js';

export class MailTicketInput {
  @Text({ min: 1, max: 256 }) ticket: string;
}

export class MailedCodeInput extends MailTicketInput {
  @Text({ min: 1, max: 256 }) code: string;
}

export class BouncedEmailInput {
  @Email() new_email: string;
}

export class RequestNewEmailInput extends MailTicketInput {
  @Email() new_email: string;
  @Text({ min: 1, max: 256 }) original_proof: string;
}

export class VerifyNewEmailInput extends MailedCodeInput {
  @Text({ min: 1, max: 256 }) original_proof: string;
}

export class ApplyEmailInput extends SudoInput {
  @Text({ min: 1, max: 256 }) email_token: string;
}
