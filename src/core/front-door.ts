import { type CanActivate, Injectable, UseGuards } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { StartError } from './config/start-error.js';

export const NO_FRONT_DOOR =
  'The application has no front door, so no policy is enforced. Create it with start() or createApp() instead of NestFactory';

const guardedAdapters = new WeakSet<object>();

/** Declares that the front door runs before this HTTP adapter. */
export const markGuarded = (adapter: object): void => void guardedAdapters.add(adapter);

/**
 * Every policy decorator adds this guard. An application from `NestFactory` with only the modules of an extension has no
 * route audit, and its guards would not run.
 */
@Injectable()
class FrontDoorRequired implements CanActivate {
  constructor(private readonly host: HttpAdapterHost) {
    // An application context has no adapter and serves no requests.
    if (host.httpAdapter) this.canActivate();
  }

  /** @throws StartError if the front door does not run before this application */
  canActivate(): true {
    if (!guardedAdapters.has(this.host.httpAdapter)) throw new StartError(NO_FRONT_DOOR);
    return true;
  }
}

export const requireFrontDoor = UseGuards(FrontDoorRequired);

/** Whether a list of guards contains one that no policy decorator added. */
export const hasOwnGuard = (guards: readonly unknown[] = []): boolean =>
  guards.some((guard) => guard !== FrontDoorRequired);
