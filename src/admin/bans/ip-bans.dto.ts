import { NetworkText } from '../../bans/network-text.js';
import { Int, Text } from '../../http/input.js';

export class BanEntriesQuery {
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Text({ min: 1, max: 64, optional: true }) after?: string;
}

/** One year. */
export const MAX_BAN_HOURS = 8760;

export class BanAddressInput {
  @NetworkText({ bounded: true }) ip: string;
  @Int({ min: 0, max: MAX_BAN_HOURS, optional: true }) duration_hours?: number;
}

/** Accepts any text. Text that is not an IP address is reported as not banned. */
export class CheckAddressPath {
  @Text({ max: 16_384 }) value: string;
}

export class LiftBanPath {
  @NetworkText() value: string;
}
