import { OutgoingEvents1797800300000 } from '../migrations/1797800300000-outgoing-events.js';
import { defineFeature, outgoingEvent } from '../policy/feature.js';
import { ApplicationEvents } from './application-events.service.js';
import { OutgoingEventsModule } from './outgoing-events.module.js';
import { OutgoingEventSettings } from './outgoing-events.settings.js';

interface AccountEvent {
  /** Account that the event is about. */
  readonly account_id: string;
}

/** Events for other services, which are sent as signed webhooks (docs/guides/operators/events.md). */
export const outgoingEvents = defineFeature('outgoing_events', {
  settings: [OutgoingEventSettings],
  modules: [OutgoingEventsModule],
  migrations: [OutgoingEvents1797800300000],
  // Triggers of the migration announce the events of accounts and sessions, so that no way to change a row bypasses them.
  outgoingEvents: {
    /** An account was created. */
    'account.created': outgoingEvent<
      AccountEvent & {
        /** Whether it is the account of a bot. */
        readonly is_bot: boolean;
      }
    >(null),
    /** Members of an account were changed. */
    'account.updated': outgoingEvent<
      AccountEvent & {
        /** Names of the changed members. */
        readonly changed: readonly string[];
      }
    >(null),
    /** An account was banned. */
    'account.banned': outgoingEvent<
      AccountEvent & {
        /** End of the ban. `null` if it has none. */
        readonly until: string | null;
      }
    >(null),
    /** The ban of an account ended. */
    'account.unbanned': outgoingEvent<AccountEvent>(null),
    /** An account was deleted. */
    'account.deleted': outgoingEvent<AccountEvent>(null),
    /** A session ended. */
    'session.ended': outgoingEvent<AccountEvent & { readonly session_id_hash: string }>(null),
    /** A user authorized an application. */
    'application.authorized': outgoingEvent<
      AccountEvent & { readonly application_id: string; readonly scopes: readonly string[] }
    >(null),
    /** An administrator tests the endpoint. */
    'outgoing_events.test': outgoingEvent<{ readonly endpoint_id: string }>(null),
  },
  lifecycle: { applicationAuthorized: { required: ApplicationEvents } },
  errors: {
    MAX_EVENT_ENDPOINTS: [400, 'The instance has the maximum number of event endpoints.'],
    UNKNOWN_EVENT_ENDPOINT: [404, 'Unknown event endpoint.'],
    UNKNOWN_EVENT_DELIVERY: [404, 'Unknown delivery.'],
    OUTGOING_ENDPOINT_DISABLED: [409, 'The event endpoint is disabled. Enable it first.'],
    OUTGOING_DELIVERY_PENDING: [409, 'The delivery is not finished. Wait for its next attempt.'],
  },
  acls: { 'outgoing_events:view': null, 'outgoing_events:manage': null },
  auditActions: {
    create_event_endpoint: 'event_endpoint',
    update_event_endpoint: 'event_endpoint',
    delete_event_endpoint: 'event_endpoint',
    rotate_event_secret: 'event_endpoint',
    test_event_endpoint: 'event_endpoint',
    replay_event: 'event_endpoint',
    replay_failed_events: 'event_endpoint',
  },
  metrics: {
    gatehouse_outgoing_events_total: {
      type: 'counter',
      help: 'Attempts to deliver events to other services, by outcome',
      labels: { outcome: ['delivered', 'retried', 'failed'] },
    },
  },
  encryptedColumns: {
    'secrets of event endpoints': { table: 'outgoing_endpoint', column: 'secret' },
    'previous secrets of event endpoints': { table: 'outgoing_endpoint', column: 'previous_secret' },
  },
  erasure: {
    outgoing_endpoint: { kept: 'endpoints of the instance' },
    outgoing_delivery: { kept: 'contains only IDs, and is deleted after 30 days' },
    outgoing_lane: { kept: 'when an endpoint is called next' },
  },
});

declare module '../core/config/config.js' {
  interface Config extends OutgoingEventSettings {}
}

declare module '../core/merged.js' {
  interface Features {
    outgoing_events: typeof outgoingEvents;
  }
}
