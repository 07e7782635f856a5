import type { paths, ResponseBody } from '@gatehouse-auth/client';

export type Application = ResponseBody<paths, '/v1/oauth2/applications/{id}', 'get'>;

export const LIST = '/account/applications';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;
