type Host = { readonly host: string; readonly port: number };

interface Place {
  /** The server, the Sentinels, or some nodes of the cluster. */
  readonly hosts: readonly Host[];
}

interface Servers extends Place {
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** The servers of `REDIS_URL`. */
export type RedisTarget =
  /** The client library reads the URL of one server itself, with its options. */
  | (Place & { readonly kind: 'server'; readonly url: string })
  | (Servers & { readonly kind: 'cluster' })
  | (Servers & {
      readonly kind: 'sentinel';
      /** The name that Sentinel has for the primary. */
      readonly name: string;
      readonly db: number;
      /** The credentials for Sentinel itself. */
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    });

const ONE_SERVER = /^rediss?:$/;
const MULTIPLE_SERVERS =
  /^redis(?<s>s?)-(?<kind>sentinel|cluster):\/\/(?:(?<user>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const SENTINEL_PATH = /^(?<name>[^/]+)(?:\/(?<db>\d{1,5}))?$/;
const SENTINEL_OPTIONS = ['sentinel_user', 'sentinel_password'];
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

function parseHost(text: string, defaultPort: number): Host | undefined {
  const url = `redis://${text}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return hostname ? { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : defaultPort } : undefined;
}

function parseHosts(list: string, defaultPort: number): Host[] | undefined {
  const items = list.split(',');
  const hosts = items.flatMap((item) => parseHost(item, defaultPort) ?? []);
  return hosts.length === items.length ? hosts : undefined;
}

/** Leaves out the names without a value. */
const decoded = <K extends string>(values: Readonly<Record<K, string | null | undefined>>): { [name in K]?: string } =>
  Object.fromEntries(Object.entries<string | null | undefined>(values).filter(([, value]) => value)) as {
    [name in K]?: string;
  };

function parseSeveral(text: string): RedisTarget | undefined {
  const { s, kind, user = '', hosts: list = '', path = '', query } = MULTIPLE_SERVERS.exec(text)?.groups ?? {};
  const isSentinel = kind === 'sentinel';
  const hosts = parseHosts(list, isSentinel ? SENTINEL_PORT : REDIS_PORT);
  const options = new URLSearchParams(query);
  if (!hosts || [...options.keys()].some((name) => !isSentinel || !SENTINEL_OPTIONS.includes(name))) return undefined;
  const [username = '', ...password] = user.split(':');
  const credentials = decoded({
    username: decodeURIComponent(username),
    password: decodeURIComponent(password.join(':')),
  });
  const servers = { hosts, isEncrypted: s === 's', ...credentials };
  if (!isSentinel) return path === '' || path === '0' ? { kind: 'cluster', ...servers } : undefined;
  const { name, db = '0' } = SENTINEL_PATH.exec(path)?.groups ?? {};
  if (name === undefined) return undefined;
  const own = decoded({
    sentinelUsername: options.get('sentinel_user'),
    sentinelPassword: options.get('sentinel_password'),
  });
  return { kind: 'sentinel', ...servers, name: decodeURIComponent(name), db: Number(db), ...own };
}

/** Parses `REDIS_URL`. Returns undefined if it is invalid. */
export function parseRedisUrl(text: string): RedisTarget | undefined {
  try {
    if (!URL.canParse(text) || !ONE_SERVER.test(new URL(text).protocol)) return parseSeveral(text);
    const { hostname, port } = new URL(text);
    const host = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || REDIS_PORT };
    return { kind: 'server', url: text, hosts: [host] };
  } catch {
    // A percent-encoding is invalid.
    return undefined;
  }
}
