import type { paths, ResponseBody } from '@gatehouse-auth/client';

export type AuditPage = ResponseBody<paths, '/v1/admin/audit-logs', 'get'>;
export type Entry = AuditPage['logs'][number];
export type Chain = AuditPage['chain'];
