import { settings } from '../core/config/declared.js';
import { LIMITS_SECTION } from '../platform/settings/limits.settings.js';

const COUNT_RANGE: readonly [number, number] = [1, 1000000];

/** Appeals against bans. */
export class AppealSettings extends settings('The service', (read) => ({
  appealEmail: read.name('APPEAL_EMAIL', 'Shown to banned addresses', 254),
})) {}

/** Automatic bans of IP addresses. */
export class BanSettings extends settings(LIMITS_SECTION, (read) => ({
  abuse: {
    bans: read.onOff('ABUSE_BANS', 'Automatic bans of abusive addresses', true),
    exempt: read.cidrs('IP_BAN_EXEMPT', 'Addresses or CIDR ranges that are never banned'),
    distinct: read.int(
      'IP_BAN_DISTINCT',
      'Rejected credentials of one address in 5 minutes that ban it at once',
      20,
      COUNT_RANGE,
    ),
    score: read.int('IP_BAN_SCORE', 'Score of one address in 5 minutes that counts as a strike', 60, COUNT_RANGE),
    strikes: read.int('IP_BAN_STRIKES', 'Strikes within an hour that ban, 1-12', 3, [1, 12]),
    seconds: read.int('IP_BAN_SECONDS', 'Length of an automatic ban', 86400, [1, 31536000]),
  },
})) {}
