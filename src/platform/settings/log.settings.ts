import { settings } from '../../core/config/declared.js';

/** The log. */
export class LogSettings extends settings('Operation', (read) => ({
  logLevel: read.choice(
    'LOG_LEVEL',
    'trace, debug, info, warn, error or silent',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
  logFormat: read.choice(
    'LOG_FORMAT',
    'json or pretty; unset: pretty on a terminal, else json',
    ['json', 'pretty'],
    process.stdout.isTTY ? 'pretty' : 'json',
    { shown: '' },
  ),
})) {}
