import { Controller, Get, Put } from '@nestjs/common';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
import { ExternalService } from './external/external.service.js';
import { ObjectsService } from './objects/objects.service.js';
import { RelayService } from './objects/relay.service.js';

/** Media by path, by signature and by capability: no credential is read here (media.md section 1). */
@Controller('media')
export class MediaController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly foreign: ExternalService,
    private readonly uploads: RelayService,
  ) {}

  @Get('attachments/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  attachment(@TheCall() call: Call) {
    return this.objects.attachment(call);
  }

  @Get('avatars/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  avatar(@TheCall() call: Call) {
    return this.objects.asset(call, 'avatars');
  }

  @Get('banners/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  banner(@TheCall() call: Call) {
    return this.objects.asset(call, 'banners');
  }

  @Get('external/:signature/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  external(@TheCall() call: Call) {
    return this.foreign.show(call);
  }

  /** A signature without anything that it signs. */
  @Get('external/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  unsigned(@TheCall() call: Call) {
    return this.foreign.show(call);
  }

  @Put('relay/*path')
  @CredentialFree()
  @RateLimit('media:relay')
  @Cors('upload')
  @Accepts('raw')
  relay(@TheCall() call: Call) {
    return this.uploads.receive(call);
  }
}
