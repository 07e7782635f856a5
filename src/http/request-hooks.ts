import { Injectable } from '@nestjs/common';
import type { Call } from '../policy/call.js';
import type { RequestListener } from './adapter.js';

/** Checks that run before routing, routing itself, and the hook that runs after each response. */
export abstract class RequestHooks {
  /**
   * Runs before anything is read, on known and unknown paths (credentials.md section 4, rows 1 and 2). Sets the client IP
   * address of the call.
   * @throws ApiError NOT_FOUND for an unknown method, SERVICE_UNAVAILABLE, FORBIDDEN, GLOBAL_IP_BANNED,
   * GLOBAL_IP_TEMPORARILY_BANNED
   */
  abstract onRequest(call: Call): void;
  /** Passes the request to its handler, directly or through the framework. Rejects with the error of a direct call. */
  abstract dispatch(call: Call, path: string, next: RequestListener): Promise<void> | undefined;
  /** Runs when the response is sent or the client is gone. */
  abstract onResponse(call: Call, status: number): void;
}

/** Called after an error response was sent, or after its client disconnected. It must not throw. */
export type RejectionListener = (call: Call) => void;

/** Passes requests that ended with an error response to the features that count them. */
@Injectable()
export class Rejections {
  private readonly listeners: RejectionListener[] = [];

  add(listener: RejectionListener): void {
    this.listeners.push(listener);
  }

  publish(call: Call): void {
    for (const listener of this.listeners) listener(call);
  }
}
