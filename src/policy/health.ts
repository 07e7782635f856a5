import type { Type } from '@nestjs/common';
import type { Config } from '../core/config/config.js';

/** Checks a dependency of a feature. */
export interface HealthCheck {
  /** Throws if the dependency cannot be used. After five seconds, the check counts as failed. */
  check(): Promise<void>;
}

/** A health check that runs once a second. While one fails, the process is not ready. */
export interface HealthCheckDeclaration {
  /** A provider of a module. */
  readonly check: Type<HealthCheck>;
  /** What to check first if it fails, for the log and `gatehouse doctor`: `NOTES_INDEX_URL and that the index runs`. */
  readonly cause: string;
  /** Whether the settings use the dependency. Default: always. */
  readonly isUsed?: (config: Config) => boolean;
}
