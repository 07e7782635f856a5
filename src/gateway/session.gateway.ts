import type { IncomingMessage } from 'node:http';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  SubscribeMessage,
} from '@nestjs/websockets';
import { Public } from '../policy/decorators.js';
import { BeforeIdentify, GATEWAY_PATH, GatewayCommands, SessionStart } from './commands/decorators.js';
import type { Connection } from './connection.js';
import { Gateway } from './gateway.service.js';
import { OP } from './protocol/protocol.js';
import { SessionStarts } from './session-starts.service.js';

/** Handlers of the built-in opcodes (contract/gateway.md section 4). */
@GatewayCommands()
export class SessionGateway implements OnGatewayConnection<Connection>, OnGatewayDisconnect<Connection> {
  constructor(
    private readonly gateway: Gateway,
    private readonly starts: SessionStarts,
  ) {}

  handleConnection(connection: Connection, req: IncomingMessage): void {
    connection.startHandshake(this.gateway.addConnection(connection), isVersionSupported(req.url ?? ''));
  }

  handleDisconnect(connection: Connection): void {
    this.gateway.removeConnection(connection);
  }

  @SubscribeMessage(OP.HEARTBEAT)
  @Public()
  heartbeat(@ConnectedSocket() connection: Connection, @MessageBody() d: unknown): void {
    connection.onHeartbeat(d);
  }

  @SubscribeMessage(OP.IDENTIFY)
  @Public()
  @BeforeIdentify()
  @SessionStart()
  identify(@ConnectedSocket() connection: Connection, @MessageBody() d: unknown): Promise<void> {
    return this.starts.identify(connection, d);
  }

  @SubscribeMessage(OP.RESUME)
  @Public()
  @SessionStart()
  resume(@ConnectedSocket() connection: Connection, @MessageBody() d: unknown): Promise<void> {
    return this.starts.resume(connection, d);
  }
}

/** True if `v` is absent, or is `1` and occurs once. */
function isVersionSupported(url: string): boolean {
  const versions = new URLSearchParams(url.slice(GATEWAY_PATH.length + 1)).getAll('v');
  return versions.length === 0 || (versions.length === 1 && versions[0] === '1');
}
