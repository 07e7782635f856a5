import { carried, forgetCarried } from '../../core/fragment.js';
import { keep, kept } from '../../core/kept.js';
import type { Asker } from '../../kit/facts.js';

/** A request from another device. It is stored, because a code can be looked up only three times. */
export interface Request {
  readonly code: string;
  readonly asker: Asker;
  readonly outcome?: 'approved' | 'refused' | 'gone';
}

const FORM = /^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{12}$/;
const REQUEST = 'handoff-request';
const LUGGAGE = 'gatehouse.handoff-request';

/** Normalizes an entered code. Returns undefined if it is invalid. */
export function plainCode(typed: string): string | undefined {
  const plain = typed.replace(/[-\s]/g, '').toUpperCase();
  return FORM.test(plain) ? plain : undefined;
}

/** Stores the request while the user signs in on another page. */
export function pack(code: string, request: Request | null): void {
  if (code || request) sessionStorage.setItem(LUGGAGE, JSON.stringify({ code, request }));
}

interface Known {
  /** The code from a link or from earlier input. Links can only provide well-formed codes. */
  readonly code: string;
  readonly isMalformed?: boolean;
  readonly request: Request | null;
}

/** Restores the stored request when the page opens. */
export function unpack(): Known {
  const packed = sessionStorage.getItem(LUGGAGE);
  sessionStorage.removeItem(LUGGAGE);
  const fresh = carried('code');
  if (fresh) {
    const code = plainCode(fresh);
    return { code: code ?? '', isMalformed: !code, request: kept<Request>(REQUEST) ?? null };
  }
  const luggage = packed ? (JSON.parse(packed) as Known) : { code: '', request: null };
  const request = kept<Request>(REQUEST) ?? (luggage.request && remember(luggage.request));
  return { code: luggage.code, request };
}

export function remember(request: Request): Request {
  forgetCarried();
  return keep(REQUEST, request);
}

/** Deletes the stored request, so that a reload does not look it up again. */
export const forget = forgetCarried;
