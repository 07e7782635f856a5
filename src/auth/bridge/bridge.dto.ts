import { Anything, OneOf, Text } from '../../http/input.js';

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** A ceremony that a signed-in account starts to enter sudo mode (account.md 6.4). */
export class StartSudoBridgeInput {
  @OneOf(['page', 'native']) runner: 'page' | 'native';
  /** SHA-256 of a nonce that the starter keeps, in lower-case hex. */
  @Text({ min: 1, max: 64, pattern: SHA256_HEX }) nonce_hash: string;
}

export class StartBridgeInput extends StartSudoBridgeInput {
  @OneOf(['login', 'login_mfa']) purpose: 'login' | 'login_mfa';
  /** With `login_mfa` only. */
  @Text({ min: 1, max: 256, optional: true }) ticket?: string;
}

export class CeremonyPath {
  @Text({ min: 1, max: 256 }) ceremony_id: string;
}

export class CompleteBridgeInput {
  @Anything() response: object;
}

export class RedeemBridgeInput {
  @Text({ min: 1, max: 256 }) nonce: string;
  @Text({ min: 1, max: 256 }) completion_code: string;
}
