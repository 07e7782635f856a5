const MINUTE_MS = 60_000;
const pad = (value: number): string => String(value).padStart(2, '0');

/** A time as a field shows it: of this browser's zone, to the minute. */
export function localOf(time: string | undefined): string {
  const at = new Date(time ?? '');
  if (Number.isNaN(at.getTime())) return '';
  const day = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-');
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** What a field says, as the service takes it. The minute that something ends in belongs to it. */
export function utcOf(local: string, edge: 'from' | 'to'): string {
  const at = new Date(local).getTime();
  if (Number.isNaN(at)) return '';
  return new Date(edge === 'to' ? at + MINUTE_MS - 1 : at).toISOString();
}
