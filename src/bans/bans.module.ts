import { Global, Module } from '@nestjs/common';
import { AbuseLedger } from './abuse-ledger.service.js';
import { IpBans } from './ip-bans.service.js';

/** Addresses that may not come in, and what gets one there. */
@Global()
@Module({ providers: [AbuseLedger, IpBans], exports: [AbuseLedger, IpBans] })
export class BansModule {}
