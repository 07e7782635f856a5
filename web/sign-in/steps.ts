import type { Challenge } from './signed-in.js';

/** How far a sign-in has come. */
export type Step =
  | { readonly kind: 'enter' }
  | { readonly kind: 'factor'; readonly challenge: Challenge }
  | { readonly kind: 'hold'; readonly hold: Hold }
  | { readonly kind: 'device'; readonly handoff: Handoff };

/** A sign-in from a new network that waits for the link of a mail. */
export interface Hold {
  readonly ticket: string;
  readonly email: string;
  /** When another mail may be sent, by the clock of this browser. */
  readonly resendAt: number;
  readonly isResent: boolean;
}

/** A sign-in that another device is to approve. */
export interface Handoff {
  readonly code: string;
  readonly poll_secret: string;
  /** Two digits for the device that approves. */
  readonly confirmation: string;
}

interface Kept {
  readonly step: Step;
  readonly isKept: boolean;
  readonly until: number;
}

const KEY = 'gatehouse.sign-in';
const MINUTES = { enter: 0, factor: 5, hold: 15, device: 5 };

/** Keeps a step for this tab, so that a reload does not lose it; none is kept of the first. */
export function keepStep(step: Step, isKept: boolean): void {
  const until = Date.now() + MINUTES[step.kind] * 60_000;
  if (step.kind === 'enter') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify({ step, isKept, until } satisfies Kept));
}

/** The step at which this tab was before. */
export function keptStep(): Omit<Kept, 'until'> {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
  return kept && kept.until > Date.now() ? kept : { step: { kind: 'enter' }, isKept: false };
}
