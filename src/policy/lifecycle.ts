import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from './account.js';

interface OfAccount {
  readonly account_id: string;
}

interface OfSession extends OfAccount {
  /** The ID hash of the session, which lists of sessions also contain. */
  readonly session_id_hash: string;
}

interface OfApplication extends OfAccount {
  readonly application_id: string;
}

/**
 * What happens to accounts, with its facts. Each event has `account_id`. Those of sessions also have `session_id_hash`,
 * and those of applications `application_id`. Times are in ISO 8601.
 */
export interface LifecycleFacts {
  /** A user registered. Imported accounts and bots do not count. */
  registered: OfAccount;
  signedIn: OfSession & { readonly method: string };
  /** The user ended the session. `sessionEnded` also occurs. */
  signedOut: OfSession;
  emailVerified: OfAccount;
  emailChanged: OfAccount;
  /** The user disabled their account. */
  disabled: OfAccount;
  /** A sign-in ended the state `disabled`, or an administrator or time ended a ban. */
  enabled: OfAccount;
  banned: OfAccount & { readonly until: string | null };
  deletionScheduled: OfAccount & { readonly deadline: string };
  deletionCanceled: OfAccount;
  /** All data of the account is deleted in the same transaction. */
  erased: OfAccount;
  /** A session ended for any reason but its deletion with the account. */
  sessionEnded: OfSession & { readonly by: string; readonly reason: string };
  applicationAuthorized: OfApplication;
  applicationDeauthorized: OfApplication;
}

/** The type of an event of an account. */
export type LifecycleType = keyof LifecycleFacts;

/** A lifecycle event, also as the payload of a job. */
export type LifecycleEvent<T extends LifecycleType = LifecycleType> = {
  [E in T]: { readonly type: E } & LifecycleFacts[E];
}[T];

/**
 * Handles an event in its transaction. It may write rows and enqueue jobs. If the event can be rejected, it may throw an
 * `ApiError` with a code of `rejectsWith`, which rejects the operation. Any other failure is logged and undone, and the operation continues.
 */
export interface LifecycleSubscriber<T extends LifecycleType> {
  handle(tx: EntityManager, event: LifecycleEvent<T>): Promise<void>;
}

/** Where a request came from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
  readonly os: string | null;
  /** ID hash of the session that made the request, if any. */
  readonly session?: string;
}

/** The circumstances of an event. Only built-in features get them, because they contain personal data. */
export interface LifecycleCause {
  /** The account to which a notice is sent, as it was when the operation began. Default: no notice is sent. */
  readonly account?: Account;
  readonly origin?: Origin | undefined;
  /** The security event, if it is not the usual one. */
  readonly recordedAs?: 'account_reinstated' | 'email_reverted' | undefined;
  /** Facts of the security event that the lifecycle event does not have. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A subscriber of a built-in feature. It gets all events of an operation in one call. If it fails, so does the operation. */
export interface RequiredSubscriber<T extends LifecycleType> {
  handleAll(tx: EntityManager, events: readonly LifecycleEvent<T>[], cause: LifecycleCause): Promise<void>;
}

/** What a feature does when an event occurs. */
export interface LifecycleDeclaration<T extends LifecycleType> {
  /** A provider of a module. It runs in the transaction of the event. */
  readonly inTransaction?: Type<LifecycleSubscriber<T>>;
  /** Error codes with which `inTransaction` may reject the operation. The API description of the operation lists them. */
  readonly rejectsWith?: readonly string[];
  /** The name of a job whose payload is the event. It runs after the commit. */
  readonly afterCommit?: string;
  /** Only for built-in features, because a failure must not block a ban or a revocation. It runs before `inTransaction`. */
  readonly required?: Type<RequiredSubscriber<T>>;
}

/** The actions of a feature on events of an account, by event. */
export type LifecycleDeclarations = { readonly [T in LifecycleType]?: LifecycleDeclaration<T> };

/** Events of operations that a subscriber may reject, because a user who is signed in or signs in requests them. */
export const REFUSABLE_EVENTS: ReadonlySet<LifecycleType> = new Set<LifecycleType>([
  ...(['registered', 'signedIn', 'emailChanged', 'disabled', 'deletionScheduled', 'applicationAuthorized'] as const),
]);

export const LIFECYCLE_TYPES: readonly LifecycleType[] = [
  ...(['registered', 'signedIn', 'signedOut', 'emailVerified', 'emailChanged', 'disabled', 'enabled'] as const),
  ...(['banned', 'deletionScheduled', 'deletionCanceled', 'erased', 'sessionEnded'] as const),
  ...(['applicationAuthorized', 'applicationDeauthorized'] as const),
];
