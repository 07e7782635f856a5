import { Password } from '../../auth/factors/fields.js';
import { Text } from '../../http/input.js';
import { MailTicketInput } from '../contact/email-change.dto.js';

export class CompletePasswordChangeInput extends MailTicketInput {
  @Text({ min: 1, max: 256 }) verification_proof: string;
  @Password({ fresh: true }) new_password: string;
}
