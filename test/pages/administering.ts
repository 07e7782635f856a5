import { type Site, site, type Visit } from '../machine/pages.js';
import { administrator, type Persona, superuser } from '../support/index.js';

/** Opens a view of the console as an administrator with these ACLs, or with all ACLs if none are given. */
export async function arriveAsAdministrator(
  { service }: Site,
  visit: Visit,
  path: string,
  ...acls: readonly string[]
): Promise<Persona> {
  const admin = acls.length === 0 ? await superuser(service) : await administrator(service, ...acls);
  await visit.arrive(path, admin.authorization);
  return admin;
}

/** The IP address of the administrators, behind the proxy. */
const OFFICE = { 'x-forwarded-for': '198.51.100.1' };

/** A site behind a proxy. Requests come from the office by default. The proxy reports any other IP address. */
export async function siteBehindProxy(): Promise<Site> {
  const behind = await site({ env: { TRUSTED_PROXIES: '127.0.0.1', IP_BAN_EXEMPT: '198.51.100.0/24' } });
  const { anonymous, as } = behind.service;
  return {
    ...behind,
    service: { ...behind.service, anonymous: anonymous.with(OFFICE), as: (credential) => as(credential).with(OFFICE) },
    visit: () => behind.visit({ extraHTTPHeaders: OFFICE }),
  };
}
