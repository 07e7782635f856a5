/** The load of an instance. Rates are per second, at the peak. */
export interface ExpectedLoad {
  readonly accounts: number;
  /** Gateway sockets that are open at the same time. */
  readonly sockets: number;
  readonly requests: number;
  /** Sign-ins with a password. They are not part of `requests`. */
  readonly signIns: number;
}

/** Costs that `npm run bench -- capacity` has measured. CPU time is in microseconds, storage in bytes. */
export interface Measured {
  readonly measured_on: string;
  readonly machine: string;
  readonly process: { readonly idle_mib: number };
  readonly request: { readonly cpu_us: number; readonly database_cpu_us: number };
  readonly sign_in: {
    readonly cpu_us: number;
    readonly database_cpu_us: number;
    readonly wal_bytes: number;
    /** Inserted, updated and deleted rows. */
    readonly rows: number;
    /** Tables and indexes. */
    readonly stored_bytes: number;
  };
  readonly account: { readonly stored_bytes: number; readonly wal_bytes: number };
  readonly audit_entry: { readonly stored_bytes: number };
  readonly socket: {
    readonly bytes: number;
    readonly redis_bytes: number;
    readonly heartbeat_cpu_us: number;
    readonly heartbeat_seconds: number;
  };
}

export interface Plan {
  readonly service: { readonly processes: number; readonly cores: number; readonly memoryBytes: number };
  readonly database: {
    readonly cores: number;
    readonly connections: number;
    readonly accountBytes: number;
    readonly signInBytesPerDay: number;
    readonly rowsPerSecond: number;
    readonly walBytesPerSecond: number;
    readonly auditBytesPerMillion: number;
  };
  readonly redis: { readonly bytes: number };
  /** An upper bound from CPU time: what one primary of `cores` can do, either only requests or only sign-ins. */
  readonly ceiling: { readonly cores: number; readonly requestsPerSecond: number; readonly signInsPerSecond: number };
  readonly warnings: readonly string[];
}

/** Share of a core that the peak load uses. The rest is for failures of a replica, bursts and maintenance. */
const UTILIZATION = 0.5;
/** The default of `DATABASE_POOL_SIZE`, and two connections outside the pool. */
const CONNECTIONS_PER_PROCESS = 12;
/** A replica can fail or restart without an outage. */
const MIN_PROCESSES = 2;
/** Memory of a process under load in addition to its idle memory: password hashes, bodies and garbage. */
const WORKING_MIB = 192;
/** The average load of a day as a share of its peak. */
const AVERAGE_SHARE = 1 / 3;
const LARGEST_PRIMARY_CORES = 64;
/** Above this number of connections, PostgreSQL needs a pooler. */
const MAX_CONNECTIONS = 500;
const DAY_SECONDS = 86_400;
const MIB = 1024 * 1024;

const coresFor = (microseconds: number): number => microseconds / 1e6 / UTILIZATION;

/** Calculates what a load needs. Each process uses one core. */
export function planCapacity({ accounts, sockets, requests, signIns }: ExpectedLoad, measured: Measured): Plan {
  const { process, request, sign_in: signIn, account, audit_entry: audit, socket } = measured;
  const heartbeats = sockets / socket.heartbeat_seconds;
  const used = requests * request.cpu_us + signIns * signIn.cpu_us + heartbeats * socket.heartbeat_cpu_us;
  const processes = Math.max(MIN_PROCESSES, Math.ceil(coresFor(used)));
  // If one process fails, the others have its sockets.
  const socketsPerProcess = sockets / (processes - 1);
  const databaseUsed = requests * request.database_cpu_us + signIns * signIn.database_cpu_us;
  const cores = Math.max(1, Math.ceil(coresFor(databaseUsed)));
  const connections = processes * CONNECTIONS_PER_PROCESS;
  const ceilingOf = (cost: number) => Math.floor((LARGEST_PRIMARY_CORES * UTILIZATION * 1e6) / cost);
  const warnings = [
    ...(cores > LARGEST_PRIMARY_CORES
      ? [`One primary with ${LARGEST_PRIMARY_CORES} cores is not sufficient. See "After one primary" in the guide`]
      : []),
    ...(connections > MAX_CONNECTIONS
      ? [`${connections} connections need a pooler such as PgBouncer, or a lower DATABASE_POOL_SIZE`]
      : []),
  ];
  return {
    service: {
      processes,
      cores: used / 1e6,
      memoryBytes: (process.idle_mib + WORKING_MIB) * MIB + socketsPerProcess * socket.bytes,
    },
    database: {
      cores,
      connections,
      accountBytes: accounts * account.stored_bytes,
      signInBytesPerDay: signIns * AVERAGE_SHARE * DAY_SECONDS * signIn.stored_bytes,
      rowsPerSecond: signIns * signIn.rows,
      walBytesPerSecond: signIns * signIn.wal_bytes,
      auditBytesPerMillion: audit.stored_bytes * 1e6,
    },
    redis: { bytes: sockets * socket.redis_bytes },
    ceiling: {
      cores: LARGEST_PRIMARY_CORES,
      requestsPerSecond: ceilingOf(request.database_cpu_us),
      signInsPerSecond: ceilingOf(signIn.database_cpu_us),
    },
    warnings,
  };
}
