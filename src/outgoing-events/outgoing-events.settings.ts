import { settings } from '../core/config/declared.js';

/** Settings of events for other services. */
export class OutgoingEventSettings extends settings('Other services', (read) => ({
  outgoingEvents: {
    allowPrivateAddresses: read.bool(
      'OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES',
      'Allow http and private IP addresses in URLs of event endpoints, for services in the same network',
      false,
    ),
  },
})) {}
