import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { invalid } from '../../core/errors.js';
import { NameQueries } from '../outbound/names.js';

/** DNS errors that mean "no such record", as opposed to a temporary failure. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** The DNS queries that the check needs. */
export type Lookup = Pick<Resolver, 'resolveMx' | 'resolve4' | 'resolve6'>;

/** Checks whether the domain of an email address accepts email (`EMAIL_DNS_CHECK`). */
@Injectable()
export class MailDomains {
  lookup: Lookup = new Resolver({ timeout: 2000, tries: 2 });
  private readonly queries = new NameQueries();

  constructor(private readonly config: Config) {}

  /** @throws Refusal FV(INVALID_EMAIL_ADDRESS@member) */
  async demandMailDomain(address: string, member: string): Promise<void> {
    if (!this.config.emailDnsCheck) return;
    if (!(await this.takesMail(address.slice(address.lastIndexOf('@') + 1)))) {
      throw invalid(member, 'INVALID_EMAIL_ADDRESS');
    }
  }

  /**
   * RFC 5321 5.1: a domain without MX records is its own mail server. RFC 7505: the MX host "." means that it accepts no
   * email.
   */
  private async takesMail(domain: string): Promise<boolean> {
    const exchangers = await this.found(() => this.lookup.resolveMx(domain));
    if (exchangers === 'unknown') return true;
    if (exchangers.length > 0) return exchangers.some(({ exchange }) => exchange !== '' && exchange !== '.');
    const addresses = await Promise.all([
      this.found(() => this.lookup.resolve4(domain)),
      this.found(() => this.lookup.resolve6(domain)),
    ]);
    return addresses.some((some) => some === 'unknown' || some.length > 0);
  }

  /** A failed lookup proves nothing about the domain, so it counts as unknown. */
  private async found<T>(query: () => Promise<T[]>): Promise<T[] | 'unknown'> {
    try {
      return await this.queries.run(query);
    } catch (error) {
      return ABSENT.has((error as NodeJS.ErrnoException).code ?? '') ? [] : 'unknown';
    }
  }
}
