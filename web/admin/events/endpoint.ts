import type { Answer, paths } from '@gatehouse-auth/client';

export const ENDPOINTS = '/v1/admin/event-endpoints';
export const ENDPOINT = '/v1/admin/event-endpoints/{endpoint_id}';
export const LIST = '/admin/events';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

export type Endpoint = Answer<paths, typeof ENDPOINT, 'get'>;
export type EventType = Answer<paths, '/v1/admin/event-types', 'get'>['event_types'][number];
export type Delivery = Answer<paths, '/v1/admin/event-endpoints/{endpoint_id}/deliveries', 'get'>['deliveries'][number];

export const MAX_ENDPOINTS = 20;
