import { settings } from '../core/config/declared.js';
import { LIMITS_SECTION } from '../platform/settings/limits.settings.js';

const COUNT_RANGE: readonly [number, number] = [1, 1000000];

/** Appeals against bans. */
export class AppealSettings extends settings('The service', (read) => ({
  appealEmail: read.name('APPEAL_EMAIL', 'Email address for appeals, shown to banned clients', 254),
})) {}

/** Automatic bans of IP addresses. */
export class BanSettings extends settings(LIMITS_SECTION, (read) => ({
  abuse: {
    bans: read.onOff('ABUSE_BANS', 'Ban abusive IP addresses automatically', true),
    exempt: read.cidrs('IP_BAN_EXEMPT', 'IP addresses and CIDR ranges that are never banned'),
    distinct: read.int(
      'IP_BAN_DISTINCT',
      'Number of different rejected credentials in 5 minutes that bans an IP address',
      20,
      COUNT_RANGE,
    ),
    score: read.int('IP_BAN_SCORE', 'Score of an IP address in 5 minutes that counts as a strike', 60, COUNT_RANGE),
    strikes: read.int('IP_BAN_STRIKES', 'Number of strikes in an hour that bans an IP address, 1-12', 3, [1, 12]),
    seconds: read.int('IP_BAN_SECONDS', 'Duration of an automatic ban in seconds', 86400, [1, 31536000]),
  },
})) {}
