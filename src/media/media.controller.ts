import { Controller, Get, Put } from '@nestjs/common';
import { ApiBody, ApiQuery, type ApiResponse, ApiResponses, type QueryParameter } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { ExternalService } from './external/external.service.js';
import { ObjectsService } from './objects/objects.service.js';
import { RelayService } from './objects/relay.service.js';

const FORMATS = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif'];

const CONTENT: readonly ApiResponse[] = [
  { type: '*/*', headers: ['ETag', 'Accept-Ranges'], description: 'The content' },
  { status: 206, type: '*/*', headers: ['ETag', 'Content-Range'], description: 'The part that was asked for' },
  { status: 304, headers: ['ETag'], description: 'The caller has it' },
];

const FLAG = { type: 'string', enum: ['true', 'false', '1', '0'] };
const EDGE = { type: 'integer', minimum: 1 };
const FORMAT = { type: 'string', enum: FORMATS };
const QUALITY: QueryParameter = {
  name: 'quality',
  description: 'Quality of the image',
  schema: { type: 'string', enum: ['low', 'auto', 'high', 'lossless'] },
};
const ANIMATED: QueryParameter = {
  name: 'animated',
  description: 'All frames instead of only the first',
  schema: FLAG,
};

/** Transform parameters of attachments and external media (media.md 7.1). */
const TRANSFORM_PARAMETERS: readonly QueryParameter[] = [
  { name: 'width', description: 'Maximum width in pixels', schema: EDGE },
  { name: 'height', description: 'Maximum height in pixels', schema: EDGE },
  { name: 'format', description: 'Format of the image. Default: the format of the source', schema: FORMAT },
  ...[QUALITY, ANIMATED],
  { name: 'download', description: 'Send the file as an attachment', schema: FLAG },
];
const ASSET_PARAMETERS: readonly QueryParameter[] = [
  { name: 'size', description: 'Pixels of the longer edge, rounded up to the next step', schema: EDGE },
  { name: 'fmt', description: 'Format of the image', schema: { type: 'string', enum: ['auto', ...FORMATS] } },
  ...[QUALITY, ANIMATED],
];
const CAPABILITY: QueryParameter = {
  ...{ name: 't', description: 'The capability of the planned upload', required: true },
  schema: { type: 'string' },
};

/** Media by path, signature or capability. These routes ignore credentials (media.md section 1). */
@Controller('media')
export class MediaController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly externalMedia: ExternalService,
    private readonly uploads: RelayService,
  ) {}

  /** Download an attachment. */
  @Get('attachments/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @ApiResponses(...CONTENT)
  @ApiQuery(...TRANSFORM_PARAMETERS)
  attachment(@CurrentCall() call: Call) {
    return this.objects.attachment(call);
  }

  /** Download an avatar. */
  @Get('avatars/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @ApiResponses(...CONTENT)
  @ApiQuery(...ASSET_PARAMETERS)
  avatar(@CurrentCall() call: Call) {
    return this.objects.asset(call, 'avatars');
  }

  /** Download a banner. */
  @Get('banners/:owner_id/:file')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @ApiResponses(...CONTENT)
  @ApiQuery(...ASSET_PARAMETERS)
  banner(@CurrentCall() call: Call) {
    return this.objects.asset(call, 'banners');
  }

  /** Download external media by a signed URL. */
  @Get('external/:signature/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @ApiResponses(...CONTENT)
  @ApiQuery(...TRANSFORM_PARAMETERS)
  external(@CurrentCall() call: Call) {
    return this.externalMedia.serve(call);
  }

  /** Reject a signature without a target. */
  @Get('external/*path')
  @CredentialFree()
  @RateLimit('media:read')
  @Cors('any')
  @ApiResponses(...CONTENT)
  unsigned(@CurrentCall() call: Call) {
    return this.externalMedia.serve(call);
  }

  /** Upload the bytes of a planned upload. */
  @Put('relay/*path')
  @CredentialFree()
  @RateLimit('media:relay')
  @Cors('upload')
  @Accepts('raw')
  @ApiResponses({ headers: ['ETag'], description: 'The bytes are stored' })
  @ApiBody({ type: '*/*' })
  @ApiQuery(CAPABILITY)
  relay(@CurrentCall() call: Call) {
    return this.uploads.receive(call);
  }
}
