import { parseArgs } from 'node:util';
import { cleanReason, MAX_REASON_LENGTH } from '../../admin/audit/reason.js';
import { type Terminal, UsageError } from './command.js';

/** Takes the options that every command has out of its arguments. Only audited commands have a reason. */
export function takeCommonOptions(
  args: readonly string[],
  { isAudited }: { readonly isAudited?: boolean },
): Pick<Terminal, 'isJson' | 'reason'> & { readonly rest: string[] } {
  const options = { json: { type: 'boolean' }, ...(isAudited && { reason: { type: 'string' as const } }) } as const;
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue;
    taken.add(token.index);
    if (token.inlineValue === false) taken.add(token.index + 1);
  }
  if (typeof (values.json ?? false) !== 'boolean') throw new UsageError('--json takes no value.');
  const text = 'reason' in values ? values.reason : undefined;
  const reason = typeof text === 'string' ? cleanReason(text) : null;
  if (text !== undefined && reason === null)
    throw new UsageError(`--reason must be a text of 1 to ${MAX_REASON_LENGTH} characters.`);
  return { isJson: values.json === true, reason, rest: args.filter((_, index) => !taken.has(index)) };
}

/** Rejects arguments of a command that takes none. */
export function assertNoArguments(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`Unexpected argument: ${args[0]}`);
}

/** The account argument. Exactly one is required. */
export function requireAccountArgument([name, ...more]: readonly string[]): string {
  if (name === undefined || more.length > 0) throw new UsageError('Give one account as an email address or an ID.');
  return name;
}

/** Parses an integer within bounds. */
export function parseCount(
  name: string,
  text: string | undefined,
  fallback: number,
  [min, max]: [number, number],
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}.`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a duration such as 90m, 12h or 7d, in milliseconds. Returns undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? 0);
}

/** Parses a time: ISO 8601 with a time zone, a day (UTC), or a duration before now. */
export function parseTime(text: string, now: number): Date {
  const duration = parseDuration(text);
  if (duration !== undefined) return new Date(now - duration);
  const at = TIME.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(
      `Invalid time "${text}". Use an ISO 8601 time such as 2026-01-31T12:00:00Z, or a duration such as 12h.`,
    );
  return at;
}
