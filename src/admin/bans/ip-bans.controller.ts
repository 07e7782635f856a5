import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { IpBanEntries } from './ip-ban-entries.service.js';
import { BanAddressInput, BanEntriesQuery, CheckAddressPath, LiftBanPath } from './ip-bans.dto.js';

/** IP bans in the Admin API (admin.md section 8). */
@Controller('v1/admin/blocklists/ip/entries')
export class IpBansController {
  constructor(private readonly entries: IpBanEntries) {}

  /** List banned IP addresses and ranges. */
  @Get()
  @AdminAcl('ban:ip:check')
  @RateLimit('admin:ban:operation')
  list(@Query() query: BanEntriesQuery) {
    return this.entries.list(query);
  }

  /** Ban an IP address or a range. */
  @Post()
  @HttpCode(204)
  @AdminAcl('ban:ip:add')
  @RateLimit('admin:ban:operation')
  ban(@CurrentOperator() by: Operator, @Body() input: BanAddressInput) {
    return this.entries.ban(by, input);
  }

  /** Check whether an IP address is banned, and by which entry. */
  @Get(':value')
  @AdminAcl('ban:ip:check')
  @RateLimit('admin:ban:operation')
  check(@Param() { value }: CheckAddressPath) {
    return this.entries.check(value);
  }

  /** Lift the ban of an IP address or a range. */
  @Delete(':value')
  @HttpCode(204)
  @AdminAcl('ban:ip:remove')
  @RateLimit('admin:ban:operation')
  lift(@CurrentOperator() by: Operator, @Param() { value }: LiftBanPath) {
    return this.entries.lift(by, value);
  }
}
