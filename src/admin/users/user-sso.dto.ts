import { ConnectionId } from '../../auth/connections/connections.dto.js';
import { Text } from '../../http/input.js';

export class LinkSsoInput {
  @Text({ min: 1, max: 255 }) subject: string;
}

export class UnlinkSsoInput {
  @ConnectionId({ optional: true, nullable: true }) connection_id?: string | null;
}
