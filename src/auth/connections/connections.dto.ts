import { OneOf, Snowflake, Text } from '../../http/input.js';
import { LocalPath } from '../sso/sso.dto.js';

const CONNECTION_ID = /^[a-z0-9-]{1,32}$/;

export const isConnectionId = (value: unknown): boolean => typeof value === 'string' && CONNECTION_ID.test(value);

export const ConnectionId = (presence: { optional?: true; nullable?: true } = {}): PropertyDecorator =>
  Text({ ...presence, min: 1, max: 32, pattern: CONNECTION_ID, length: 'INVALID_FORMAT', example: 'google' });

const NonceHash = () => Text({ max: 64, pattern: /^[0-9a-f]{64}$/, length: 'INVALID_FORMAT', example: 'a'.repeat(64) });

const RedirectUri = () => Text({ optional: true, nullable: true, max: 2048, length: 'INVALID_URL_FORMAT' });

export class ConnectionPath {
  @ConnectionId() id: string;
}

export class StartConnectionInput {
  @LocalPath() redirect_to?: string | null;
  @RedirectUri() redirect_uri?: string | null;
  @NonceHash() nonce_hash: string;
  @OneOf(['login'], { optional: true }) prompt?: 'login';
}

export class CompleteConnectionInput {
  @Text({ min: 1, max: 4096 }) code: string;
  @Text({ min: 1, max: 4096 }) state: string;
  @Text({ min: 1, max: 256 }) nonce: string;
  @Text({ min: 1, max: 2048, optional: true }) iss?: string;
}

export class StartLinkInput {
  @ConnectionId() connection_id: string;
  @RedirectUri() redirect_uri?: string | null;
  @NonceHash() nonce_hash: string;
}

export class IdentityPath {
  @Snowflake() identity_id: string;
}
