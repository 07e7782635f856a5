import { expect } from '@jest/globals';
import type { Front } from './gatehouse.js';

/** A webhook as its creation answers it, and the path that its token opens. */
export interface Hook {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly path: string;
  readonly name: string;
}

/** Creates a webhook. */
export async function newHook(
  service: Front,
  holder: { authorization: string } | string,
  body: Record<string, unknown> = { name: 'hook' },
): Promise<Hook> {
  const answer = await service.as(holder).post('/v1/users/@me/webhooks', body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  return { ...answer.body, path: new URL(answer.body.url).pathname };
}
