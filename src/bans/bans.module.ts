import { Global, Module } from '@nestjs/common';
import { AbuseLedger } from './abuse-ledger.service.js';
import { IpBans } from './ip-bans.service.js';

/** IP bans, and the abuse counters that cause them. */
@Global()
@Module({ providers: [AbuseLedger, IpBans], exports: [AbuseLedger, IpBans] })
export class BansModule {}
