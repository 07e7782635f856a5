import { AnyObject, Text } from '../../http/input.js';

export class TicketInput {
  @Text({ min: 1, max: 256 }) ticket: string;
}

/** A WebAuthn assertion (auth.md section 3). The verification checks its content. */
export class AssertionInput {
  @AnyObject() response: object;
  @Text({ min: 1, max: 1024 }) challenge: string;
}

export class LoginWebAuthnInput extends AssertionInput {
  @Text({ min: 1, max: 256 }) ticket: string;
}
