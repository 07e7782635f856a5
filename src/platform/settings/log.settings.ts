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
    'Log format: json or pretty. Unset: pretty on a terminal, otherwise json',
    ['json', 'pretty'],
    process.stdout.isTTY ? 'pretty' : 'json',
    { shown: '' },
  ),
})) {}
