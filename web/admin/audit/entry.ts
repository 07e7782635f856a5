import type { Answer, paths } from '@gatehouse-auth/client';

export type AuditPage = Answer<paths, '/v1/admin/audit-logs', 'get'>;
export type Entry = AuditPage['logs'][number];
export type Chain = AuditPage['chain'];
