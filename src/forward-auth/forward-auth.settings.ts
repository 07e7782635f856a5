import { settings } from '../core/config/declared.js';

const LOOPBACK = '127.0.0.0/8,::1';

/** Who may use forward authentication. */
export class ForwardAuthSettings extends settings('Other services', (read) => ({
  forwardAuthAllow: read.cidrs(
    'FORWARD_AUTH_ALLOW',
    'IP addresses and CIDR ranges of the reverse proxies that may use forward authentication',
    { shown: LOOPBACK },
    LOOPBACK,
  ),
})) {}
