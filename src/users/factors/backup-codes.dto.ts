import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { Bool, Text } from '../../http/input.js';
import { MailTicketInput } from '../contact/email-change.dto.js';

export class BackupCodesInput extends SudoInput {
  @Bool() regenerate: boolean;
}

export class RegenerateInput extends MailTicketInput {
  @Text({ min: 1, max: 256 }) verification_proof: string;
}
