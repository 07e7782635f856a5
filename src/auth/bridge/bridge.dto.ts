import { AnyObject, OneOf, Text } from '../../http/input.js';

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Starts a ceremony in which a signed-in user enters sudo mode (account.md 6.4). */
export class StartSudoBridgeInput {
  @OneOf(['page', 'native']) runner: 'page' | 'native';
  /** SHA-256 of a nonce that only the client knows, in lowercase hex. */
  @Text({ min: 1, max: 64, pattern: SHA256_HEX, example: 'a'.repeat(64) }) nonce_hash: string;
}

export class StartBridgeInput extends StartSudoBridgeInput {
  @OneOf(['login', 'login_mfa']) purpose: 'login' | 'login_mfa';
  /** Only with `login_mfa`. */
  @Text({ min: 1, max: 256, optional: true }) ticket?: string;
}

export class CeremonyPath {
  @Text({ min: 1, max: 256 }) ceremony_id: string;
}

export class CompleteBridgeInput {
  @AnyObject() response: object;
}

export class RedeemBridgeInput {
  @Text({ min: 1, max: 256 }) nonce: string;
  @Text({ min: 1, max: 256 }) completion_code: string;
}
