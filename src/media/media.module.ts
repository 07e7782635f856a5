import { Module } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { openStorage } from '../platform/storage/open-storage.js';
import { Storage } from '../platform/storage/storage.js';
import { MediaUrlService } from './addresses/urls.service.js';
import { Delivery } from './delivery/delivery.js';
import { ExternalController } from './external/external.controller.js';
import { ExternalService } from './external/external.service.js';
import { Images } from './images/images.service.js';
import { Spools } from './images/spools.js';
import { TransformCache } from './images/transform-cache.js';
import { Transforms } from './images/transforms.service.js';
import { MediaController } from './media.controller.js';
import { Assets } from './objects/assets.service.js';
import { MediaService } from './objects/media.service.js';
import { ObjectsService } from './objects/objects.service.js';
import { RelayService } from './objects/relay.service.js';
import { MediaUpkeep } from './objects/upkeep.service.js';
import { UploadsController } from './objects/uploads.controller.js';

/** Stored objects, uploads and external media. */
@Module({
  controllers: [MediaController, UploadsController, ExternalController],
  providers: [
    { provide: Storage, useFactory: openStorage, inject: [Config, Log] },
    Assets,
    Delivery,
    ExternalService,
    Images,
    MediaService,
    MediaUrlService,
    ObjectsService,
    RelayService,
    Spools,
    TransformCache,
    Transforms,
    MediaUpkeep,
  ],
  exports: [Assets, Images, MediaService, MediaUpkeep, MediaUrlService, Storage],
})
export class MediaModule {}
