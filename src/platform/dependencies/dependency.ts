import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import type { Database } from '../database/database.js';
import type { Outbound } from '../outbound/outbound.js';
import type { RedisProbe } from '../store/redis-probe.js';

/** Runs a statement on the connection of a round of tests. */
export type RunQuery = <R>(text: string, values?: unknown[]) => Promise<R[]>;

/** What a test can use. The service and `doctor` provide the same. */
export interface TestTools {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly outbound: Outbound;
  /** The tables of all features. */
  readonly tables: readonly string[];
  /** On a connection of its own, for which requests do not compete. */
  readonly ask: RunQuery;
  /** Only with `REDIS_URL`. */
  readonly redis: RedisProbe | undefined;
}

/** A property of another program that the service relies on. */
export interface Dependency {
  /** The value of the label `name` of `gatehouse_dependency_up`. */
  readonly name: string;
  readonly needs: string;
  /** The effect if it is missing and not required. */
  readonly without?: string;
  readonly fix: string;
  /** Whether the service is not ready without it. If not, only a part of the service fails. */
  readonly isRequired: boolean;
  /** Tests of one group run one after the other, on the same connections. */
  readonly group: 'database' | 'read replica' | 'redis' | 'mail' | 'storage' | 'captcha' | 'identity provider';
  readonly isUsed: (config: Config) => boolean;
  /** @throws Error with the cause. Its message is one line without secrets */
  readonly test: (tools: TestTools) => Promise<void>;
}

/** A dependency whose group defines the other members. It is required by default. */
export type GroupMember = Omit<Dependency, 'group' | 'isUsed' | 'isRequired'> & Partial<Pick<Dependency, 'isRequired'>>;

/** The property is not there. Other errors of a test mean that the dependency does not respond. */
export class UnmetRequirement extends Error {
  constructor(
    message: string,
    /** More exact than the one of the dependency. */
    readonly fix?: string,
  ) {
    super(message);
  }
}
