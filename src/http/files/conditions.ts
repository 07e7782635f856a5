import type { IncomingMessage } from 'node:http';

const TAGS = /(?:W\/)?"[^"]*"/g;

const isStrong = (etag: string): boolean => !etag.startsWith('W/');
const opaque = (etag: string): string => etag.replace(/^W\//, '');

/**
 * Whether the caller already has the representation: `If-None-Match` contains its ETag by weak comparison (RFC 9110
 * section 13.1.2). A proxy that compresses a response weakens its ETag. Without an ETag, no condition holds.
 */
export function isNotModified({ headers }: IncomingMessage, etag: string | null): boolean {
  const header = headers['if-none-match'];
  if (header === undefined || etag === null) return false;
  return header === '*' || (header.match(TAGS) ?? []).some((tag) => opaque(tag) === opaque(etag));
}

/** Whether a `Range` may be served: `If-Range` is absent or equals the ETag by strong comparison (section 13.1.5). */
export function mayServeRange({ headers }: IncomingMessage, etag: string | null): boolean {
  const header = headers['if-range'];
  return header === undefined || (etag !== null && isStrong(etag) && header === etag);
}
