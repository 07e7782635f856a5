import fc from 'fast-check';
import type { Gatehouse } from '../support/index.js';
import { checkCredentials } from './credentials.js';
import { flawsOf } from './faults.js';
import { type Operation, operationsOf } from './operations.js';
import { checkAfterDeletion, checkPlaces } from './places.js';
import { type Plan, plansOf, type Sent, sendPlan } from './requests.js';
import { PASSWORD, Stage } from './stage.js';
import { checkAllowed, checkFlawed } from './verdict.js';

/** Limit for shrinking attempts. The first few already get close to the minimum, and reaching it takes far more. */
const MOST_SMALLER = 100;

export interface Settings {
  /** The same seed repeats a run. */
  readonly seed: number;
  /** How long to repeat rounds. Default: one round. */
  readonly seconds?: number;
  /** Number of valid requests per operation and round. */
  readonly runs: number;
  /** Selects the operations to fuzz, for example by ID or path. */
  readonly only?: (operation: Operation) => boolean;
}

export interface Found {
  readonly operation: string;
  readonly seed: number;
  readonly what: string;
}

export interface Report {
  readonly operations: number;
  readonly requests: number;
  /** How many of the requests succeeded. */
  readonly taken: number;
  /** Number of operations that deleted a resource which was then used again. */
  readonly deletions: number;
  readonly rounds: number;
  readonly found: readonly Found[];
}

/** Fuzzes the operations of a running service with all kinds of requests that its OpenAPI document describes. */
export class Fuzzer {
  private requests = 0;
  private taken = 0;
  private readonly deletions = new Set<string>();
  private readonly found: Found[] = [];

  private constructor(
    private readonly stage: Stage,
    private readonly operations: readonly Operation[],
    private readonly settings: Settings,
  ) {}

  static async run(service: Gatehouse, settings: Settings): Promise<Report> {
    const all = await operationsOf(service);
    const chosen = all.filter((operation) => settings.only?.(operation) ?? true);
    const fuzzer = new Fuzzer(new Stage(service, all), chosen, settings);
    const rounds = await fuzzer.rounds();
    return {
      operations: chosen.length,
      requests: fuzzer.requests,
      taken: fuzzer.taken,
      deletions: fuzzer.deletions.size,
      rounds,
      found: fuzzer.found,
    };
  }

  private async rounds(): Promise<number> {
    const { seed, seconds = 0 } = this.settings;
    const until = performance.now() + seconds * 1000;
    let round = 0;
    // Runs first, while the tables are still small.
    for (const operation of this.operations) await this.credentials(operation, seed);
    do {
      for (const operation of this.operations) {
        const isOver = round > 0 && performance.now() >= until;
        if (!isOver) await this.fuzz(operation, seed + round);
      }
      round++;
    } while (performance.now() < until);
    return round;
  }

  private note(operation: Operation, seed: number, what: string): void {
    this.found.push({ operation: `${operation.method} ${operation.path} (${operation.id})`, seed, what });
  }

  private plans(operation: Operation): fc.Arbitrary<Plan> {
    return plansOf(operation);
  }

  private sample(operation: Operation, seed: number): Plan {
    const [plan] = fc.sample(this.plans(operation), { seed, numRuns: 1 });
    return { ...(plan as Plan), isMade: true };
  }

  private async send(operation: Operation, plan: Plan): Promise<Sent> {
    this.requests++;
    const client = await this.stage.callerOf(operation, plan.kind);
    const path = await this.stage.pathOf(operation);
    // HEAD has the same guards as GET.
    const requested = operation.isStream ? { ...operation, method: 'HEAD' } : operation;
    const sent = await sendPlan(client, requested, plan, { path, password: PASSWORD });
    if (sent.answer.status < 400) this.taken++;
    if (operation.method !== 'GET' && sent.answer.status < 400) await this.stage.renew(operation);
    return sent;
  }

  /** Checks a property and records the smallest failing request, found in at most `MOST_SMALLER` attempts. */
  private async hold(operation: Operation, seed: number, numRuns: number, judge: (plan: Plan) => Promise<void>) {
    let smaller = -1;
    const property = fc.asyncProperty(this.plans(operation), async (plan) => {
      if (smaller >= MOST_SMALLER) return;
      if (smaller >= 0) smaller++;
      await judge(plan).catch((error) => {
        smaller = Math.max(smaller, 0);
        throw error;
      });
    });
    const { failed, errorInstance } = await fc.check(property, { seed, numRuns, maxSkipsPerRun: 10 });
    if (failed) this.note(operation, seed, String((errorInstance as Error)?.message ?? errorInstance));
  }

  private async credentials(operation: Operation, seed: number): Promise<void> {
    await this.listed(operation, seed, checkCredentials(operation, this.stage, this.sample(operation, seed)));
  }

  private async listed(operation: Operation, seed: number, checks: Promise<string[]>): Promise<void> {
    try {
      for (const what of await checks) this.note(operation, seed, what);
    } catch (error) {
      this.note(operation, seed, (error as Error).message);
    }
  }

  private async fuzz(operation: Operation, seed: number): Promise<void> {
    await this.hold(operation, seed, this.settings.runs, async (plan) =>
      checkAllowed(operation, await this.send(operation, plan)),
    );
    for (const flaw of flawsOf(operation)) {
      await this.hold(operation, seed, 1, async (plan) =>
        checkFlawed(operation, flaw, await this.send(operation, flaw.apply(plan))),
      );
    }
    await this.listed(operation, seed, checkPlaces(operation, this.stage));
    if (operation.method !== 'DELETE') return;
    const plansFor = (user: Operation) => this.sample(user, seed);
    const deleted = checkAfterDeletion(operation, this.stage, plansFor).then((surprises) => {
      if (surprises) this.deletions.add(operation.id);
      return surprises ?? [];
    });
    await this.listed(operation, seed, deleted);
  }
}
