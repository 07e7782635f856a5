import type { Entry } from './entry.js';

/** Commands for incidents (docs/guides/operators/runbooks.md). */
export const INCIDENT_COMMANDS: Readonly<Record<string, Entry>> = {
  status: {
    usage: 'status',
    summary:
      'Print the replicas with their versions, and test the dependencies. Exit code 1 if no replica is ready or a required dependency fails',
    example: '',
    load: async () => (await import('./status.js')).status,
  },
  drain: {
    usage: 'drain <replica...> | --all [--for <duration>] [--cancel]',
    summary:
      'Take replicas out of the load balancer: their readiness fails for a time, and clients of the gateway reconnect. Exit code 1 if one does not confirm',
    options: {
      '--all': 'Drain all replicas',
      '--for <duration>': 'The time after which they are ready again, at most 24h. Default: 15m',
      '--cancel': 'Make them ready again now. Default: drain them',
    },
    example: '3 --for 30m',
    isAudited: true,
    load: async () => (await import('./replicas.js')).drain,
  },
  'user sessions': {
    usage: 'user sessions <email|id>',
    summary:
      'List the sessions of an account with their IP addresses and devices: active ones, and those of the last 30 days',
    example: 'ada@example.com',
    isAudited: true,
    load: async () => (await import('./user-state.js')).listSessions,
  },
  'user end-sessions': {
    usage: 'user end-sessions <email|id>',
    summary: 'End all sessions of an account and close their connections',
    example: 'ada@example.com --reason "Stolen laptop, ticket 4711"',
    isAudited: true,
    load: async () => (await import('./sessions.js')).endSessions,
  },
  'user ban': {
    usage: 'user ban <email|id> [--hours <1-8760>] [--message <text>]',
    summary: 'Ban an account, end its sessions and notify its owner',
    options: {
      '--hours <1-8760>': 'The hours until the ban ends. Default: it does not end',
      '--message <text>': 'The explanation for the user. Default: none',
    },
    example: 'ada@example.com --hours 24 --reason "Spam, ticket 4711"',
    isAudited: true,
    load: async () => (await import('./user-state.js')).banUser,
  },
  'user unban': {
    usage: 'user unban <email|id>',
    summary: 'Remove the ban of an account',
    example: 'ada@example.com',
    isAudited: true,
    load: async () => (await import('./user-state.js')).unbanUser,
  },
  'ban add': {
    usage: 'ban add <ip|cidr> [--hours <1-8760>]',
    summary: 'Ban an IP address or range on every replica',
    options: {
      '--hours <1-8760>': 'The hours until the ban ends. Default: it does not end',
    },
    example: '203.0.113.0/24 --hours 2',
    isAudited: true,
    load: async () => (await import('./bans.js')).addBan,
  },
  'admin demote': {
    usage: 'admin demote <email|id>',
    summary: 'Remove all ACLs and Admin API keys of an account, and end its sessions',
    example: 'grace@example.com --reason "Left the company"',
    isAudited: true,
    load: async () => (await import('./credentials.js')).demoteAdministrator,
  },
  'bot revoke-tokens': {
    usage: 'bot revoke-tokens <id>',
    summary:
      'Revoke all tokens of a bot, close its connections and notify its owner. The ID is that of the bot or of its application',
    example: '1501314428688998182 --reason "Token in a public repository"',
    isAudited: true,
    load: async () => (await import('./credentials.js')).revokeBotTokens,
  },
};
