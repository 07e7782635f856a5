import { randomBytes, randomInt } from 'node:crypto';

const FIRST_NAMES = [
  ...['Ada', 'Alan', 'Amina', 'Bruno', 'Chen', 'Daniel', 'Elif', 'Emma', 'Fatima', 'Grace', 'Hana', 'Igor', 'Ines'],
  ...['Jonas', 'Kofi', 'Lena', 'Mateo', 'Nadia', 'Omar', 'Priya', 'Rosa', 'Sofia', 'Tariq', 'Yuki', 'Zoe'],
];
const LAST_NAMES = ['Almeida', 'Becker', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Haddad'];
const USER_AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
];
/** Networks for documentation (RFC 5737). */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];

export const DAYS = 30;
export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function pick<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)];
  if (value === undefined) throw new Error('there is nothing to pick');
  return value;
}

const randomAddress = (): string => `${pick(NETWORKS)}.${randomInt(1, 255)}`;
const isOneIn = (count: number): boolean => randomInt(count) === 0;

export interface DemoSession {
  readonly digest: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly created_at: number;
  readonly last_used_at: number;
}

export interface DemoPerson {
  readonly username: string;
  readonly global_name: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly created_at: number;
  /** The time until which the user is suspended. */
  readonly banned_until: number | null;
  readonly deletion_at: number | null;
  readonly is_pending: boolean;
  readonly sessions: readonly DemoSession[];
}

function sessionSince(createdAt: number, now: number): DemoSession {
  const age = Math.max(HOUR_MS, Math.min(now - createdAt, DAYS * DAY_MS));
  const begun = now - randomInt(age);
  return {
    digest: randomBytes(32).toString('base64'),
    ip: randomAddress(),
    user_agent: pick(USER_AGENTS),
    created_at: begun,
    last_used_at: now - randomInt(now - begun + 1),
  };
}

function personOf(first: string, last: string, now: number): DemoPerson {
  const createdAt = now - randomInt(HOUR_MS, 10 * DAYS * DAY_MS);
  const [isPending, isSuspended, isDeleting] = [isOneIn(40), isOneIn(25), isOneIn(50)];
  const canSignIn = !isPending && !isSuspended && !isDeleting;
  return {
    username: `${first}_${last}`.toLowerCase(),
    global_name: `${first} ${last}`,
    email: `${first}.${last}@example.com`.toLowerCase(),
    email_verified: !isOneIn(6),
    created_at: createdAt,
    banned_until: isSuspended ? now + randomInt(HOUR_MS, 14 * DAY_MS) : null,
    deletion_at: isDeleting ? now + randomInt(DAY_MS, 14 * DAY_MS) : null,
    is_pending: isPending,
    sessions: canSignIn ? Array.from({ length: randomInt(5) }, () => sessionSince(createdAt, now)) : [],
  };
}

/** 200 invented users. Their email addresses are in the domain for examples (RFC 2606). */
export const demoPeople = (now: number): DemoPerson[] =>
  FIRST_NAMES.flatMap((first) => LAST_NAMES.map((last) => personOf(first, last, now)));
