import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { validationError } from '../../core/errors.js';
import { DnsQueryQueue } from '../outbound/dns-resolver.js';

/** DNS errors that mean "no such record", as opposed to a temporary failure. */
const NO_RECORD_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/** The DNS queries that the check needs. */
export type DnsLookup = Pick<Resolver, 'resolveMx' | 'resolve4' | 'resolve6'>;

/** Checks whether the domain of an email address accepts email (`EMAIL_DNS_CHECK`). */
@Injectable()
export class MailDomains {
  lookup: DnsLookup = new Resolver({ timeout: 2000, tries: 2 });
  private readonly queries = new DnsQueryQueue();

  constructor(private readonly config: Config) {}

  /** @throws ApiError FV(INVALID_EMAIL_ADDRESS@member) */
  async assertAcceptsMail(address: string, member: string): Promise<void> {
    if (!this.config.emailDnsCheck) return;
    if (!(await this.acceptsMail(address.slice(address.lastIndexOf('@') + 1)))) {
      throw validationError(member, 'INVALID_EMAIL_ADDRESS');
    }
  }

  /**
   * RFC 5321 5.1: a domain without MX records is its own mail server. RFC 7505: the MX host "." means that it accepts no
   * email.
   */
  private async acceptsMail(domain: string): Promise<boolean> {
    const exchangers = await this.resolveOrUnknown(() => this.lookup.resolveMx(domain));
    if (exchangers === 'unknown') return true;
    if (exchangers.length > 0) return exchangers.some(({ exchange }) => exchange !== '' && exchange !== '.');
    const addresses = await Promise.all([
      this.resolveOrUnknown(() => this.lookup.resolve4(domain)),
      this.resolveOrUnknown(() => this.lookup.resolve6(domain)),
    ]);
    return addresses.some((some) => some === 'unknown' || some.length > 0);
  }

  /** A failed lookup proves nothing about the domain, so it counts as unknown. */
  private async resolveOrUnknown<T>(query: () => Promise<T[]>): Promise<T[] | 'unknown'> {
    try {
      return await this.queries.run(query);
    } catch (error) {
      return NO_RECORD_CODES.has((error as NodeJS.ErrnoException).code ?? '') ? [] : 'unknown';
    }
  }
}
