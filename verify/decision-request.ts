import { hash } from 'node:crypto';

/** One request to decide about. The members are those of `POST /v1/decisions` (forward-auth.md section 3). */
export interface DecisionRequest {
  /** The name of a service policy. */
  readonly policy: string;
  /** The value of the `Authorization` header. Several headers are joined by `, `, so that Gatehouse rejects them. */
  readonly authorization?: string | undefined;
  /** The value of the `X-Service-Sudo-Mode-JWT` header. */
  readonly sudo?: string | undefined;
  /** The IP address of the client. Without it, Gatehouse rejects tokens that are limited to networks. */
  readonly address?: string | undefined;
}

const prefixed = (text: string | undefined): string => (text === undefined ? '-' : `${text.length}:${text}`);

/** The key of a request in the cache: SHA-256 of its members, each with its length in front (forward-auth.md section 4). */
export function keyOf({ policy, authorization, sudo, address }: DecisionRequest): string {
  return hash('sha256', prefixed(policy) + prefixed(authorization) + prefixed(sudo) + prefixed(address), 'base64url');
}
