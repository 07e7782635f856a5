import type { Type } from '@nestjs/common';

/** A handler at one of its paths, as the framework knows it. */
export interface FoundRoute {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
  readonly method: string;
  readonly path: string;
}
