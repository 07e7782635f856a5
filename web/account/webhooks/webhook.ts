import type { paths, ResponseBody } from '@gatehouse-auth/client';

export type Webhook = ResponseBody<paths, '/v1/webhooks/{id}', 'get'>;

export const LIST = '/account/webhooks';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

/** Gateway events that signal changes of webhooks. */
export const EVENTS = ['WEBHOOKS_UPDATE'] as const;
