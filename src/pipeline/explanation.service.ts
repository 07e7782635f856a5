import { Injectable } from '@nestjs/common';
import { AdminApplication } from '../accounts/grants/admin-application.service.js';
import { ApiError } from '../core/errors.js';
import { OPERATIONAL } from '../http/front-door/front-door.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { RoutePlan } from '../policy/plan.js';
import { describePolicy } from '../policy/route-policy.js';
import { Routes } from '../policy/routes.js';
import { BanGuard, LoadGuard } from './arrival-guards.js';
import { CompiledRoutes } from './compiled-routes.js';
import type { Caller, Guard } from './guard.js';
import { buildCaller, type SimulatedCaller } from './simulated-caller.js';

/** `depends`: on the request, the IP address or stored data. `unreached`: an earlier guard rejects the call. */
export type StepResult = 'passes' | 'refuses' | 'depends' | 'unreached';

/** A guard of the route with its result. */
export interface ExplainedRow {
  /** The ID of the guard. */
  readonly row: string;
  readonly judgement: StepResult;
  /** Codes that the guard can return, including those of extensions. */
  readonly codes: readonly string[];
}

interface RouteEvaluation {
  readonly rows: readonly ExplainedRow[];
  /** The guard that rejects the call; `null` if no guard certainly rejects it. */
  readonly decides: string | null;
  readonly refusal: ApiError | null;
}

/** Predicts the result of a call with the guards that check real calls. */
@Injectable()
export class Explanation {
  constructor(
    private readonly routes: Routes,
    private readonly compiled: CompiledRoutes,
    private readonly adminApplication: AdminApplication,
    private readonly load: LoadGuard,
    private readonly bans: BanGuard,
    private readonly features: FeatureRegistry,
  ) {}

  /** Returns the matching route, its guards in order, the guard that decides, and the response. */
  explain(method: string, path: string, imagined: SimulatedCaller) {
    const plan = this.routes.findServicePolicy(path) ?? this.routes.find(method, path);
    const {
      rows,
      decides,
      refusal: apiError,
    } = plan ? this.evaluateRoute(plan, imagined) : unknownRoute(this.preRoutingRows());
    const response = apiError && this.features.describe(apiError);
    return {
      route: plan ? routeView(plan) : null,
      rows,
      decides,
      answer: {
        admitted: apiError === null,
        status: response?.status ?? plan?.status ?? 200,
        code: apiError?.code ?? null,
        message: response?.message ?? null,
      },
    };
  }

  private evaluateRoute(plan: RoutePlan, imagined: SimulatedCaller): RouteEvaluation {
    const isAdminRoute = plan.policy.kind === 'AdminAcl';
    const caller = buildCaller(imagined, this.adminApplication.id, isAdminRoute);
    const rows = OPERATIONAL.has(plan.path) ? [] : this.preRoutingRows();
    let apiError: ApiError | null = null;
    let decides: string | null = null;
    for (const guard of this.compiled.guardsOf(plan)) {
      const row = guard.id;
      const codes = guard.possibleErrors(plan.policy);
      const judgement: StepResult | ApiError = apiError ? 'unreached' : evaluateGuard(guard, caller, plan);
      rows.push({ row, codes, judgement: judgement instanceof ApiError ? 'refuses' : judgement });
      if (judgement instanceof ApiError) [apiError, decides] = [judgement, row];
    }
    return { rows, decides, refusal: apiError };
  }

  /** Guards that run before routing. */
  private preRoutingRows(): ExplainedRow[] {
    return [this.load, this.bans].map((guard) => ({
      row: guard.id,
      judgement: 'depends',
      codes: guard.possibleErrors(),
    }));
  }
}

const unknownRoute = (rows: ExplainedRow[]): RouteEvaluation => ({
  rows,
  decides: null,
  refusal: new ApiError('NOT_FOUND'),
});

const routeView = (plan: RoutePlan) => ({
  method: plan.method,
  path: plan.path,
  handler: `${plan.controller}.${plan.handler}`,
  policy: describePolicy(plan.policy),
  body: plan.accepts.kind,
  body_limit: plan.accepts.kind === 'none' ? null : plan.accepts.limit,
});

function evaluateGuard(guard: Guard, caller: Caller, { policy }: RoutePlan): StepResult | ApiError {
  if (guard.possibleErrors(policy).length === 0) return 'passes';
  try {
    return guard.dryRun?.(caller, policy) ? 'passes' : 'depends';
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
