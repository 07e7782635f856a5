import type { paths, ResponseBody } from '@gatehouse-auth/client';

export const ENDPOINTS = '/v1/admin/event-endpoints';
export const ENDPOINT = '/v1/admin/event-endpoints/{endpoint_id}';
export const LIST = '/admin/events';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

export type Endpoint = ResponseBody<paths, typeof ENDPOINT, 'get'>;
export type EventType = ResponseBody<paths, '/v1/admin/event-types', 'get'>['event_types'][number];
export type Delivery = ResponseBody<
  paths,
  '/v1/admin/event-endpoints/{endpoint_id}/deliveries',
  'get'
>['deliveries'][number];

export const MAX_ENDPOINTS = 20;
