import ipaddr from 'ipaddr.js';
import { addressIsIn } from '../../core/address.js';

/**
 * The built-in application of all personal access tokens (tokens.md section 1). No snowflake is 0, and
 * ADMIN_APPLICATION_ID cannot be 0. The first token creates its row.
 */
export const PERSONAL_APPLICATION_ID = '0';

export const PERSONAL_APPLICATION_NAME = 'Personal access tokens';

/** Whether a token that is limited to these CIDR ranges may be used from an IP address. An empty list allows all IP addresses. */
export const mayComeFrom = (address: string, networks: readonly string[]): boolean =>
  networks.length === 0 ||
  addressIsIn(
    address,
    networks.map((network) => ipaddr.parseCIDR(network)),
  );
