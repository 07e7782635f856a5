import type { paths, ResponseBody } from '@gatehouse-auth/client';

export type Ban = ResponseBody<paths, '/v1/admin/blocklists/ip/entries', 'get'>['items'][number];

export const ENTRIES = '/v1/admin/blocklists/ip/entries';
export const ENTRY = '/v1/admin/blocklists/ip/entries/{value}';

/** Splits input into IP addresses or ranges, without duplicates. */
export const linesOf = (text: string): readonly string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))];

const IPV4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;
const IPV6 = /^[\da-f:]*:[\da-f:.]*$/i;

/** For an invalid IP address, the service would only report that it is not banned. */
export const isAddress = (text: string): boolean =>
  (IPV4.test(text) && URL.canParse(`http://${text}`)) || (IPV6.test(text) && URL.canParse(`http://[${text}]`));
