import { settings } from '../../core/config/declared.js';

/** The log. */
export class LogSettings extends settings('Operation', (read) => ({
  logLevel: read.choice(
    'LOG_LEVEL',
    'Log level: trace, debug, info, warn, error or silent',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
  logFormat: read.choice(
    'LOG_FORMAT',
    'Log format: json or pretty. Unset: pretty on a terminal outside production, otherwise json',
    ['json', 'pretty'],
    process.stdout.isTTY && read.peek('NODE_ENV') !== 'production' ? 'pretty' : 'json',
    { shown: '' },
  ),
  logClientNetwork: read.bool(
    'LOG_CLIENT_NETWORK',
    'Log the client network of each request: IPv4 /24, IPv6 /48',
    false,
  ),
  logAccountId: read.bool('LOG_ACCOUNT_ID', 'Log the account ID of the caller of each request', false),
})) {}
