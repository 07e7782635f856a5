import type { Challenge } from './signed-in.js';

/** The current step of a sign-in. The email address is null if an identity provider identified the user. */
export type Step =
  | { readonly kind: 'enter' }
  | { readonly kind: 'factor'; readonly challenge: Challenge; readonly email: string | null }
  | { readonly kind: 'hold'; readonly hold: Hold }
  | { readonly kind: 'device'; readonly handoff: Handoff };

/** A sign-in from a new network that waits for an emailed link. */
export interface Hold {
  readonly ticket: string;
  readonly email: string;
  /** When the sign-in began, by the clock of this device. */
  readonly at: number;
  /** When the email can be sent again, by the clock of this device. */
  readonly resendAt: number;
  readonly isResent: boolean;
}

/** A sign-in that waits for approval on another device. */
export interface Handoff {
  readonly code: string;
  readonly poll_secret: string;
  /** Two digits to enter on the approving device. */
  readonly confirmation: string;
}

interface Kept {
  readonly step: Step;
  readonly isKept: boolean;
  readonly until: number;
}

const KEY = 'gatehouse.sign-in';
const MINUTES = { enter: 0, factor: 5, hold: 15, device: 5 };

/** Stores a step in this tab for a reload. The first step is not stored. */
export function storeStep(step: Step, isKept: boolean): void {
  const until = Date.now() + MINUTES[step.kind] * 60_000;
  if (step.kind === 'enter') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify({ step, isKept, until } satisfies Kept));
}

/** Restores the stored step. */
export function readStep(): Omit<Kept, 'until'> {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
  return kept && kept.until > Date.now() ? kept : { step: { kind: 'enter' }, isKept: false };
}
