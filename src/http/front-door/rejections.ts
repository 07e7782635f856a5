import { Injectable } from '@nestjs/common';
import type { Call } from '../../policy/call.js';

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
