import { carried, forgetCarried } from '../../core/fragment.js';
import { keep, kept } from '../../core/kept.js';
import type { Asker } from '../../kit/facts.js';

/** What another device asks, as it was looked up: a code can be looked up three times in all. */
export interface Request {
  readonly code: string;
  readonly asker: Asker;
  readonly outcome?: 'approved' | 'refused' | 'gone';
}

const FORM = /^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{12}$/;
const REQUEST = 'handoff-request';
const LUGGAGE = 'gatehouse.handoff-request';

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
  /** As it came by a link or was typed before. A link can only bring what has the form of a code. */
  readonly code: string;
  readonly isMalformed?: boolean;
  readonly request: Request | null;
}

/** What is known already when the page opens. */
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

/** Nothing that was looked up is looked up again by a reload. */
export const forget = forgetCarried;
