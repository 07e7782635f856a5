import { carried, forgetCarried } from '../../core/fragment.js';
import { keep, kept } from '../../core/kept.js';

export interface Device {
  readonly os: string | null;
  readonly browser: string | null;
  readonly device: string;
}

/** What another device asks, as it was looked up: a code can be looked up three times in all. */
export interface Request {
  readonly code: string;
  readonly device: Device;
  readonly outcome?: 'approved' | 'refused' | 'gone';
}

const FORM = /^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{12}$/;
const REQUEST = 'handoff';
const LUGGAGE = 'gatehouse.handoff';

/** A code without what it is shown or typed with; undefined when it is none. */
export function plainCode(typed: string): string | undefined {
  const plain = typed.replace(/[-\s]/g, '').toUpperCase();
  return FORM.test(plain) ? plain : undefined;
}

/** Takes what is known along to the page where the person signs in, who then comes back to this one. */
export function pack(code: string, request: Request | null): void {
  if (code || request) sessionStorage.setItem(LUGGAGE, JSON.stringify({ code, request }));
}

interface Known {
  /** As it came by a link or was typed before. */
  readonly code: string;
  readonly request: Request | null;
}

/** What is known already when the page opens. */
export function unpack(): Known {
  const packed = sessionStorage.getItem(LUGGAGE);
  sessionStorage.removeItem(LUGGAGE);
  const fresh = carried('code');
  if (fresh) return { code: fresh, request: kept<Request>(REQUEST) ?? null };
  const luggage = packed ? (JSON.parse(packed) as Known) : { code: '', request: null };
  const request = kept<Request>(REQUEST) ?? (luggage.request && remember(luggage.request));
  return { code: luggage.code, request };
}

export function remember(request: Request): Request {
  forgetCarried();
  return keep(REQUEST, request);
}

/** Nothing that was looked up is looked up again by a reload. */
export const forget = forgetCarried;
