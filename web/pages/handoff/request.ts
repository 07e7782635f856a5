import { clearLinkParameters, linkParameter } from '../../core/fragment.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import type { RequestingDevice } from '../../kit/facts.js';

/** A request from another device. It is stored, because a code can be looked up only three times. */
export interface Request {
  readonly code: string;
  readonly asker: RequestingDevice;
  readonly outcome?: 'approved' | 'refused' | 'gone';
}

const FORM = /^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{12}$/;
const REQUEST = 'handoff-request';
const STORAGE_KEY = 'gatehouse.handoff-request';

/** Normalizes an entered code. Returns undefined if it is invalid. */
export function plainCode(typed: string): string | undefined {
  const plain = typed.replace(/[-\s]/g, '').toUpperCase();
  return FORM.test(plain) ? plain : undefined;
}

/** Stores the request while the user signs in on another page. */
export function storeForSignIn(code: string, request: Request | null): void {
  if (code || request) sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ code, request }));
}

interface Known {
  /** The code from a link or from earlier input. Links can only provide well-formed codes. */
  readonly code: string;
  readonly isMalformed?: boolean;
  readonly request: Request | null;
}

/** Restores the stored request when the page opens. */
export function restoreRequest(): Known {
  const packed = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  const fresh = linkParameter('code');
  if (fresh) {
    const code = plainCode(fresh);
    return { code: code ?? '', isMalformed: !code, request: readHistoryState<Request>(REQUEST) ?? null };
  }
  const stored = packed ? (JSON.parse(packed) as Known) : { code: '', request: null };
  const request = readHistoryState<Request>(REQUEST) ?? (stored.request && storeRequest(stored.request));
  return { code: stored.code, request };
}

export function storeRequest(request: Request): Request {
  clearLinkParameters();
  return writeHistoryState(REQUEST, request);
}

/** Deletes the stored request, so that a reload does not look it up again. */
export const clearRequest = clearLinkParameters;
