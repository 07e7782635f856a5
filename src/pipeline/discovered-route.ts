import type { Type } from '@nestjs/common';

/** A handler at one of its paths, found by reflection. */
export interface DiscoveredRoute {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
  readonly method: string;
  readonly path: string;
}
