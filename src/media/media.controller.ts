import { Controller, Get, Put } from '@nestjs/common';
import { type Answer, Answers, Takes } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
import { ExternalService } from './external/external.service.js';
import { ObjectsService } from './objects/objects.service.js';
import { RelayService } from './objects/relay.service.js';

const CONTENT: readonly Answer[] = [
  { type: '*/*', headers: ['ETag', 'Accept-Ranges'], description: 'The content' },
  { status: 206, type: '*/*', headers: ['ETag', 'Content-Range'], description: 'The part that was asked for' },
  { status: 304, headers: ['ETag'], description: 'The caller has it' },
];

/** Media by path, by signature and by capability: no credential is read here (media.md section 1). */
@Controller('media')
export class MediaController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly foreign: ExternalService,
    private readonly uploads: RelayService,
  ) {}

  /** Serves an attachment. */
  @Get('attachments/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @Answers(...CONTENT)
  attachment(@TheCall() call: Call) {
    return this.objects.attachment(call);
  }

  /** Serves an avatar. */
  @Get('avatars/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @Answers(...CONTENT)
  avatar(@TheCall() call: Call) {
    return this.objects.asset(call, 'avatars');
  }

  /** Serves a banner. */
  @Get('banners/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @Answers(...CONTENT)
  banner(@TheCall() call: Call) {
    return this.objects.asset(call, 'banners');
  }

  /** Serves foreign media under a signature of this service. */
  @Get('external/:signature/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @Answers(...CONTENT)
  external(@TheCall() call: Call) {
    return this.foreign.show(call);
  }

  /** A signature without anything that it signs. */
  @Get('external/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @Answers(...CONTENT)
  unsigned(@TheCall() call: Call) {
    return this.foreign.show(call);
  }

  /** Stores the bytes of a planned upload. */
  @Put('relay/*path')
  @CredentialFree()
  @RateLimit('media:relay')
  @Cors('upload')
  @Accepts('raw')
  @Answers({ headers: ['ETag'], description: 'The bytes are stored' })
  @Takes({ type: '*/*' })
  relay(@TheCall() call: Call) {
    return this.uploads.receive(call);
  }
}
