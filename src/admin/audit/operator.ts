import { randomUUID } from 'node:crypto';
import { type Origin, originOf } from '../../accounts/events/origin.js';
import { Refusal } from '../../core/errors.js';
import { codePoints, plainName } from '../../core/text/text.js';
import { grants } from '../../policy/acls.js';
import type { Call } from '../../policy/call.js';
import { fromCall } from '../../policy/decorators.js';
import type { Identity } from '../../policy/identity.js';

/** Who carries out an Admin operation, how far they reach, and why they do it. */
export interface Operator {
  /** What was presented; `null` at the console. */
  readonly identity: Identity | null;
  /** `0`: the console. */
  readonly accountId: string;
  /** The Admin API key that was presented, if one was. */
  readonly keyId: string | null;
  /** `X-Audit-Log-Reason`. */
  readonly reason: string | null;
  readonly requestId: string;
  /** Where the request came from; `null` at the console. */
  readonly origin: Origin | null;
  /** What is done leaves an entry in the audit log. */
  audited(): void;
  /** Whether the ACL is in the effective set: of the account, for a key of key and owner both (admin.md section 2). */
  holds(acl: string): boolean;
}

const REASON_LENGTH = 512;

/** Node reads header bytes as Latin-1; what was sent as UTF-8 is read as UTF-8. */
function decoded(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

function reasonOf({ req }: Call): string | null {
  const header = req.headers['x-audit-log-reason'];
  if (typeof header !== 'string') return null;
  const reason = plainName(decoded(header));
  return reason === '' || codePoints(reason) > REASON_LENGTH ? null : reason;
}

export function operatorOf(call: Call): Operator {
  const { identity, id: requestId } = call;
  if (!identity) throw new Error('an operator needs an identity');
  const { acls, id: accountId } = identity.account;
  const sides = identity.via === 'admin-key' ? [identity.acls, acls] : [acls];
  return {
    identity,
    accountId,
    keyId: identity.via === 'admin-key' ? identity.keyId : null,
    reason: reasonOf(call),
    requestId,
    origin: originOf(call),
    audited: () => {
      call.isAudited = true;
    },
    holds: (acl) => sides.every((side) => grants(side, acl)),
  };
}

/** Whoever has a shell beside the database may do everything; the audit log shows account `0`. */
export const theConsole = (): Operator => ({
  identity: null,
  accountId: '0',
  keyId: null,
  reason: null,
  requestId: `cli-${randomUUID()}`,
  origin: null,
  audited: () => {},
  holds: () => true,
});

/** Whoever found a credential: nobody that is known, who may end it and nothing else. */
export const theFinder = (requestId: string): Operator => ({ ...theConsole(), requestId, holds: () => false });

/** The operator of an Admin operation: who, with which reach and reason. */
export const By = fromCall(operatorOf);

/**
 * Nobody hands on what they do not hold.
 * @throws Refusal MISSING_ACL
 */
export function demandGrantable(by: Operator, acls: readonly string[]): void {
  if (!acls.every((acl) => by.holds(acl))) throw new Refusal('MISSING_ACL');
}
