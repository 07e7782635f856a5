import { randomUUID } from 'node:crypto';
import { getOrigin, type Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { grants } from '../../policy/acls.js';
import type { Call } from '../../policy/call.js';
import { type CallDecorator, createCallDecorator } from '../../policy/decorators.js';
import type { Identity } from '../../policy/identity.js';
import { cleanReason } from './reason.js';

/** The caller of an Admin operation, its ACLs and the reason it gave. */
export interface Operator {
  /** The identity of the caller. It is `null` for the console. */
  readonly identity: Identity | null;
  /** `0` for the console. */
  readonly accountId: string;
  /** The ID of the Admin API key, if the caller presented one. */
  readonly keyId: string | null;
  /** The header `X-Audit-Log-Reason`. */
  readonly reason: string | null;
  readonly requestId: string;
  /** The origin of the request. It is `null` for the console. */
  readonly origin: Origin | null;
  /** Marks the request as recorded in the audit log. @internal */
  markAudited(): void;
  /**
   * Whether the effective ACLs contain this ACL. For an Admin API key, both the key and its owner must have it
   * (admin.md section 2).
   */
  holds(acl: string): boolean;
}

/** Decodes a header as UTF-8 if it is valid UTF-8. Node decodes header bytes as Latin-1. */
function decodeHeader(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

function reasonOf({ req }: Call): string | null {
  const header = req.headers['x-audit-log-reason'];
  if (typeof header !== 'string') return null;
  return cleanReason(decodeHeader(header));
}

export function operatorOf(call: Call): Operator {
  const { identity, id: requestId } = call;
  if (!identity) throw new Error('The operation has no caller. Declare @AdminAcl()');
  const { acls, id: accountId } = identity.account;
  const sides = identity.via === 'admin-key' ? [identity.acls, acls] : [acls];
  return {
    identity,
    accountId,
    keyId: identity.via === 'admin-key' ? identity.keyId : null,
    reason: reasonOf(call),
    requestId,
    origin: getOrigin(call),
    markAudited: () => {
      call.isAudited = true;
    },
    holds: (acl) => sides.every((side) => grants(side, acl)),
  };
}

/**
 * The console operator has every ACL, because a user with a shell next to the database can do everything. The audit log
 * shows account `0`.
 */
export const consoleOperator = (reason: string | null = null): Operator => ({
  identity: null,
  accountId: '0',
  keyId: null,
  reason,
  requestId: `cli-${randomUUID()}`,
  origin: null,
  markAudited: () => {},
  holds: () => true,
});

/** The anonymous reporter of a leaked credential. It may revoke that credential and has no ACLs. */
export const leakReporter = (requestId: string): Operator => ({ ...consoleOperator(), requestId, holds: () => false });

/** The owner of an application whose own change has an entry in the audit log. Owners have no ACLs here. */
export const ownerOperator = (accountId: string, facts: Pick<Operator, 'origin' | 'requestId'>): Operator => ({
  ...consoleOperator(),
  ...facts,
  accountId,
  holds: () => false,
});

/** Injects the operator of an Admin operation. */
export const CurrentOperator: CallDecorator<Operator> = createCallDecorator(operatorOf, {
  injected: 'Operator',
});

/**
 * Operators can only grant ACLs that they have.
 * @throws ApiError MISSING_ACL
 */
export function assertGrantable(by: Operator, acls: readonly string[]): void {
  if (!acls.every((acl) => by.holds(acl))) throw new ApiError('MISSING_ACL');
}
