import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../platform/storage/storage.js';

/** One well-formed range that can be forwarded to an origin unchanged. */
export interface RequestedRange {
  readonly header: string;
  /** `null` if the last `length` bytes are requested. */
  readonly start: number | null;
  /** `null` if the range extends to the end. */
  readonly end: number | null;
  readonly length: number | null;
}

/** Parses the range of a request. Returns `null` if it cannot be forwarded to an origin. */
export function parseRequestedRange(header: string | undefined): RequestedRange | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (header === undefined || first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return Number(last) === 0 ? null : { header, start: null, end: null, length: Number(last) };
  const [start, end] = [Number(first), last === '' ? null : Number(last)];
  return end !== null && end < start ? null : { header, start, end, length: null };
}

/** A part sent by an origin, with the total size. */
export interface ReceivedPart {
  readonly range: ByteRange;
  readonly size: number;
}

/** Returns the part of a 206 response if it is exactly the requested range; otherwise `null`. */
export function parseReceivedPart(requested: RequestedRange, headers: IncomingHttpHeaders): ReceivedPart | null {
  const numbers = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '');
  if (!numbers) return null;
  const [start, end, size] = numbers.slice(1).map(Number) as [number, number, number];
  const wantedStart = requested.start ?? Math.max(0, size - (requested.length ?? 0));
  const wantedEnd = Math.min(requested.end ?? size - 1, size - 1);
  const declared = headers['content-length'];
  const isAsAsked = start === wantedStart && end === wantedEnd && start <= end;
  if (!isAsAsked || (declared !== undefined && Number(declared) !== end - start + 1)) return null;
  return { range: { start, end }, size };
}
