import type { Authentication, AuthenticationLevel } from '../../auth/records/authentication.js';
import type { Account } from '../../policy/account.js';
import { ACR } from './id-tokens.service.js';

export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof PROMPTS)[number];

/** What an application asks of the authentication of the user (contract/openid.md section 4). */
export interface AuthenticationRequest {
  readonly prompt?: string;
  /** Seconds. */
  readonly max_age?: number;
  readonly acr_values?: string;
}

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean);

/** Returns the values of `prompt`, or `null` if the list is invalid. */
export function promptsOf(prompt = ''): readonly Prompt[] | null {
  const words = wordsOf(prompt);
  const prompts = PROMPTS.filter((name) => words.includes(name));
  const isKnown = words.every((word) => prompts.some((name) => name === word));
  return isKnown && !(prompts.includes('none') && prompts.length > 1) ? prompts : null;
}

export const isSilent = ({ prompt }: AuthenticationRequest): boolean => promptsOf(prompt)?.includes('none') ?? false;

const LEVELS = [1, 2, 3] as const;

function canReach({ hasPassword, hasTotp, passkeys }: Account, level: AuthenticationLevel): boolean {
  return level === 1 || passkeys > 0 || (level === 2 && hasPassword && hasTotp);
}

/** The lowest of the requested levels that the account can reach. */
export function requestedLevel({ acr_values = '' }: AuthenticationRequest, account: Account): AuthenticationLevel {
  const words = wordsOf(acr_values);
  return LEVELS.find((level) => words.includes(ACR[level]) && canReach(account, level)) ?? 1;
}

/** Whether an authentication is recent and strong enough. */
export function isSufficient(
  { at, level }: Authentication,
  request: AuthenticationRequest,
  { account, now }: { account: Account; now: number },
): boolean {
  const { max_age: maxAge } = request;
  const isOld = maxAge !== undefined && (at === undefined || now - at.getTime() > maxAge * 1000);
  const mustProve = promptsOf(request.prompt)?.includes('login') || isOld;
  return !mustProve && level >= requestedLevel(request, account);
}
