import { type LifecycleEvent, type LifecycleType, REFUSABLE_EVENTS } from '../../policy/lifecycle.js';
import type { Origin } from './origin.js';

/** What lifecycle events need of a security event. */
interface SecurityEvent {
  readonly accountId: string;
  readonly type: string;
  readonly origin?: Origin | undefined;
  readonly session?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

type Facts = SecurityEvent & Required<Pick<SecurityEvent, 'data'>>;

const sessionOf = ({ accountId, session, origin }: Facts) => ({
  account_id: accountId,
  session_id_hash: session ?? origin?.session ?? '',
});

const applicationOf = ({ accountId, data }: Facts) => ({
  account_id: accountId,
  application_id: String(data.application_id),
});

const only =
  (type: 'emailChanged' | 'disabled' | 'enabled' | 'deletionCanceled') =>
  ({ accountId }: Facts): LifecycleEvent[] => [{ type, account_id: accountId }];

/** The lifecycle events that a security event stands for, by its type. */
const LIFECYCLE_OF: Readonly<Record<string, (event: Facts) => LifecycleEvent[]>> = {
  signed_in: (event) => [{ type: 'signedIn', ...sessionOf(event), method: String(event.data.method) }],
  session_ended: (event) => [
    ...(event.data.reason === 'signed_out' ? [{ type: 'signedOut', ...sessionOf(event) } as const] : []),
    { type: 'sessionEnded', ...sessionOf(event), by: String(event.data.by), reason: String(event.data.reason) },
  ],
  email_changed: only('emailChanged'),
  email_reverted: only('emailChanged'),
  account_disabled: only('disabled'),
  account_reactivated: only('enabled'),
  account_reinstated: only('enabled'),
  account_suspended: ({ accountId, data }) => [
    { type: 'banned', account_id: accountId, until: typeof data.until === 'string' ? data.until : null },
  ],
  account_deletion_scheduled: ({ accountId, data }) => [
    { type: 'deletionScheduled', account_id: accountId, deadline: String(data.deadline) },
  ],
  deletion_canceled: only('deletionCanceled'),
  application_authorized: (event) => [{ type: 'applicationAuthorized', ...applicationOf(event) }],
  application_removed: (event) => [{ type: 'applicationDeauthorized', ...applicationOf(event) }],
};

/** The lifecycle events of a security event, of the types that some feature handles. */
export function lifecycleOf(event: SecurityEvent, isHandled: (type: LifecycleType) => boolean): LifecycleEvent[] {
  const events = LIFECYCLE_OF[event.type]?.({ ...event, data: event.data ?? {} }) ?? [];
  return events.filter(({ type }) => isHandled(type));
}

/** Names in code that stand for a lifecycle event: security events, and `registered`, which is none. */
export const LIFECYCLE_SOURCES: ReadonlySet<string> = new Set([...Object.keys(LIFECYCLE_OF), 'registered']);

/** The refusable lifecycle events that names of `LIFECYCLE_SOURCES` stand for. */
export function refusableEventsOf(sources: readonly string[]): ReadonlySet<LifecycleType> {
  const types = sources.flatMap((type): LifecycleType[] =>
    type === 'registered'
      ? [type]
      : lifecycleOf({ accountId: '0', type }, (each) => REFUSABLE_EVENTS.has(each)).map((event) => event.type),
  );
  return new Set(types);
}
