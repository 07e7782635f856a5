import { Module } from '@nestjs/common';
import { OneTimeSecrets } from './one-time-secrets.service.js';

@Module({ providers: [OneTimeSecrets], exports: [OneTimeSecrets] })
export class OneTimeSecretsModule {}
