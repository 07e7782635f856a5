import { Authenticated, CurrentIdentity, GatewayCommands, type Identity, RateLimit } from '@gatehouse-auth/server';
import { MessageBody, SubscribeMessage } from '@nestjs/websockets';
import { WatchInput } from './notes.dto.js';
import { NotesService } from './notes.service.js';

@GatewayCommands()
export class NotesGateway {
  constructor(private readonly notes: NotesService) {}

  /** Returns the newest notes. Later notes are sent as NOTES_CREATED events. */
  @SubscribeMessage('NOTES_WATCH')
  @Authenticated()
  @RateLimit('notes:watch')
  async watch(@CurrentIdentity() me: Identity, @MessageBody() input: WatchInput) {
    return { event: 'NOTES_WATCHED', data: { notes: await this.notes.list(me.account.id, input) } };
  }
}
