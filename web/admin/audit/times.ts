const MINUTE_MS = 60_000;
const pad = (value: number): string => String(value).padStart(2, '0');

/** A time as the value of a datetime input: local time zone, minute precision. */
export function localOf(time: string | undefined): string {
  const at = new Date(time ?? '');
  if (Number.isNaN(at.getTime())) return '';
  const day = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-');
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** Converts the value of a datetime input to UTC. An end time includes its whole minute. */
export function utcOf(local: string, edge: 'from' | 'to'): string {
  const at = new Date(local).getTime();
  if (Number.isNaN(at)) return '';
  return new Date(edge === 'to' ? at + MINUTE_MS - 1 : at).toISOString();
}
