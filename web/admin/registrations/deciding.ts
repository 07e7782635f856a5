import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { failureText, toFailure } from '../../core/action.js';
import { api } from '../../core/api.js';
import { withRetry } from '../../core/with-retry.js';
import type { ReasonHeaders } from '../parts/audited-action.js';
import type { Registration } from './waiting.js';

export type Decision = 'approved' | 'rejected';

export interface FailedDecision {
  readonly registration: Registration;
  readonly why: string;
}

/** Progress and result. */
export interface Progress {
  readonly decision: Decision;
  readonly of: number;
  readonly done: number;
  readonly failed: readonly FailedDecision[];
  /** Seconds to wait for the rate limit. */
  readonly pause: number;
  readonly isOver: boolean;
}

/** Errors that mean that no decision is needed anymore. */
const SETTLED: ReadonlySet<string> = new Set(['REGISTRATION_NOT_PENDING', 'UNKNOWN_USER']);

export interface BatchDecision {
  readonly progress: ReadonlySignal<Progress | null>;
  /** Decides one at a time. An error does not stop the others. */
  readonly decide: (decision: Decision, registrations: readonly Registration[], sent: ReasonHeaders) => Promise<void>;
  /** Stops after the current one. */
  readonly stop: () => void;
}

/** @param onSettled called for each registration that no longer needs a decision */
export function useBatchDecision(onSettled: (registration: Registration) => void): BatchDecision {
  const progress = useSignal<Progress | null>(null);
  const stopping = useRef(new AbortController());
  const stop = () => stopping.current.abort();
  useEffect(() => stop, []);

  /** @returns the reason of a failure, otherwise null */
  async function one(
    registration: Registration,
    ask: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const tell = (pause: number) => {
      if (progress.value) progress.value = { ...progress.value, pause };
    };
    try {
      await withRetry(ask, signal, tell);
      onSettled(registration);
      return null;
    } catch (error) {
      if (error === signal.reason) throw error;
      const failure = toFailure(error);
      if (SETTLED.has(failure.code)) onSettled(registration);
      return failureText(failure) || failure.code;
    }
  }

  async function decide(
    decision: Decision,
    registrations: readonly Registration[],
    sent: ReasonHeaders,
  ): Promise<void> {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    let now: Progress = { decision, of: registrations.length, done: 0, failed: [], pause: 0, isOver: false };
    progress.value = now;
    const body = { status: decision };
    try {
      for (const registration of registrations) {
        const path = { user_id: registration.user_id };
        const ask = () => api.patch('/v1/admin/instance/pending-registrations/{user_id}', { ...sent, path, body });
        const why = await one(registration, ask, signal);
        const failed = why === null ? now.failed : [...now.failed, { registration, why }];
        now = { ...now, done: now.done + 1, failed };
        progress.value = now;
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    }
    progress.value = { ...now, isOver: true };
  }
  return { progress, decide, stop };
}
