import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from './config/config.js';
import { ownVersion } from './own-package.js';
import { mintTraceId } from './secrets.js';
import { sourceMappedStack } from './stack.js';
import { ownWorker } from './workers/own-worker.js';

const REDACTED = '[redacted]';
/**
 * Second defense of conventions.md section 13: redacts everything that looks like a secret. After a scheme, plain words
 * of messages ("is below /v1/admin without @AdminAcl()") are kept. Text with a digit or mixed case can be a secret.
 */
const SECRETS =
  /flx_[A-Za-z0-9]{36}|gp_[A-Za-z0-9]{40}|fa_\d+_[A-Za-z0-9]{32}|\b\d+\.[A-Za-z0-9_-]{43}\b|eyJ(?:(?!eyJ)[A-Za-z0-9_-])*(?:\.[A-Za-z0-9_-]*){2,}|\b(?:[Bb][Oo][Tt]|[Bb][Ee][Aa][Rr][Ee][Rr]|[Aa][Dd][Mm][Ii][Nn]|[Bb][Aa][Ss][Ii][Cc]) (?=[^\s"]*(?:\d|[a-z][A-Z]|=))[^\s"]{8,}/g;

/** Maximum length of one logged string. */
const MAX_TEXT = 16_384;
/** Maximum number of logged errors of an AggregateError, such as one per IP address of a host name. */
const MAX_ERRORS = 10;
/** Maximum depth of a logged value. */
const MAX_DEPTH = 5;
const UNREADABLE = '[unreadable]';
/** The error codes of PostgreSQL. Those of Node.js, such as EPIPE, start with E. */
const SQLSTATE = /^(?!E)[0-9A-Z]{5}$/;

/** The trace ID of lines that belong to no request, job or socket, such as those of the start. */
const PROCESS_TRACE_ID = mintTraceId();

export const redactText = (text: string): string => text.slice(0, MAX_TEXT).replace(SECRETS, REDACTED);

const SECRET_MEMBERS =
  /^(?:authorization|cookie|set-cookie|referer|location|x-service-sudo-mode-jwt|x-captcha-token|password|new_password|token|new_token|access_token|refresh_token|client_secret|secret|key|code|state|nonce|ticket|poll_secret|completion_code|email_token|sudo_token|mfa_code|backup_codes|code_verifier|.*_proof|webauthn_response|parameters|query|detail)$/i;

/**
 * Converts errors and nested values to plain data, without secret members and SQL parameter values. Never throws,
 * because a failure to log could not be reported.
 */
function sanitize(value: unknown, depth = 0): unknown {
  try {
    return sanitizeValue(value, depth);
  } catch {
    return UNREADABLE;
  }
}

function sanitizeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null && depth > MAX_DEPTH) return UNREADABLE;
  if (value instanceof Error) {
    const { code, cause, errors } = value as { code?: unknown; cause?: unknown; errors?: unknown };
    return {
      type: value.constructor.name,
      message: redactText(value.message),
      stack: redactText(sourceMappedStack(value)),
      ...(typeof code === 'string' ? { [SQLSTATE.test(code) ? 'sqlstate' : 'code']: code } : {}),
      ...(cause === undefined ? {} : { cause: sanitize(cause, depth + 1) }),
      ...(Array.isArray(errors) ? { errors: sanitize(errors.slice(0, MAX_ERRORS), depth + 1) } : {}),
    };
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => sanitize(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_MEMBERS.test(name) ? REDACTED : sanitize(member, depth + 1),
    ]),
  );
}

/** The structured log: one JSON line per event, with route patterns only. Also Nest's logger. */
export class Log implements LoggerService {
  private readonly pino: Logger;

  constructor(
    config: Pick<Config, 'logLevel' | 'logFormat'> & Partial<Pick<Config, 'buildId'>>,
    destination?: DestinationStream,
  ) {
    const base = { version: config.buildId, ...(ownWorker && { worker: ownWorker.number }) };
    const options = { level: config.logLevel, base, timestamp: stdTimeFunctions.isoTime };
    this.pino = destination ? pino(options, destination) : pino(options, createDestination(config.logFormat));
  }

  get isDebug(): boolean {
    return this.pino.isLevelEnabled('debug');
  }

  private write(level: 'debug' | 'info' | 'warn' | 'error', message: unknown, details: unknown): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const given =
      typeof details === 'object' && details !== null ? (sanitize(details) as object) : { context: details };
    const fields = { trace_id: PROCESS_TRACE_ID, ...given };
    if (message instanceof Error) this.pino[level]({ ...fields, error: sanitize(message) }, 'error');
    else
      this.pino[level](
        fields,
        redactText(typeof message === 'string' ? message : String(JSON.stringify(sanitize(message)))),
      );
  }

  debug(message: unknown, details?: unknown): void {
    this.write('debug', message, details);
  }

  verbose(message: unknown, details?: unknown): void {
    this.write('debug', message, details);
  }

  /** Nest logs its startup at this level, which matters only for debugging. */
  log(message: unknown, details?: unknown): void {
    this.write('debug', message, details);
  }

  info(message: unknown, details?: unknown): void {
    this.write('info', message, details);
  }

  warn(message: unknown, details?: unknown): void {
    this.write('warn', message, details);
  }

  error(message: unknown, details?: unknown): void {
    this.write('error', message, details);
  }

  fatal(message: unknown, details?: unknown): void {
    this.write('error', message, details);
  }
}

/** One short line per event on a terminal, JSON otherwise. */
function createDestination(format: Config['logFormat']): DestinationStream {
  if (format === 'json') return pino.destination({ fd: 1, sync: true });
  return {
    write(line: string) {
      const {
        time,
        level,
        msg,
        error,
        version: _,
        trace_id: __,
        ...rest
      } = JSON.parse(line) as Record<string, unknown>;
      const { stack, ...fault } = (error ?? {}) as { stack?: unknown };
      const details = { ...rest, ...(error && !stack ? { error: fault } : {}) };
      const shown = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : '';
      const below = stack ? `\n${stack}` : '';
      process.stdout.write(
        `${String(time).slice(11, 23)} ${pino.levels.labels[Number(level)]} ${msg}${shown}${below}\n`,
      );
    },
  };
}

/** Formats an error that ends the process as JSON, for example one that occurs before a log exists. */
export function fatalErrorLine(error: unknown): string {
  let line = '';
  const write = (text: string) => {
    line += text;
  };
  new Log({ logLevel: 'error', logFormat: 'json', buildId: ownVersion() }, { write }).fatal(
    error instanceof Error ? error.message : error,
    { error },
  );
  return line;
}
