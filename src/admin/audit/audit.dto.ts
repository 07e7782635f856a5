import { NetworkText } from '../../bans/network-text.js';
import { Int, Snowflake, Text, Time } from '../../http/input.js';

export class AuditQuery {
  @Snowflake({ optional: true }) admin_user_id?: string;
  @Text({ min: 1, max: 64, optional: true }) target_type?: string;
  @Snowflake({ optional: true }) target_id?: string;
  @Text({ min: 1, max: 64, optional: true }) action?: string;
  @Time({ optional: true }) from?: string;
  @Time({ optional: true }) to?: string;
  @NetworkText({ optional: true }) ip?: string;
  @Text({ min: 1, max: 64, optional: true }) request_id?: string;
  @Snowflake({ optional: true }) before?: string;
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Int({ min: 0, max: 100_000, text: true, optional: true }) offset?: number;
}

export class AuditEntryPath {
  @Snowflake() log_id: string;
}
