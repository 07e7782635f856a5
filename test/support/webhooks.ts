import type { Gatehouse, ServiceEndpoint } from './gatehouse.js';
import { eventually } from './mail.js';
import { expect } from './optional-packages.js';

/** A webhook as returned by its creation, and the path of its URL, which contains the token. */
export interface CreatedWebhook {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly path: string;
  readonly name: string;
}

/** Creates a webhook of an account or of an application. */
export async function newWebhook(
  service: ServiceEndpoint,
  holder: { authorization: string } | string,
  body: Record<string, unknown> = { name: 'hook' },
): Promise<CreatedWebhook> {
  const response = await service.as(holder).post('/v1/users/@me/webhooks', body);
  expect({ status: response.status, body: response.body }).toMatchObject({
    status: 200,
    body: { id: expect.any(String) },
  });
  return { ...response.body, path: new URL(response.body.url).pathname };
}

/** Waits until sinks have processed all message events. Ignores events that sinks have permanently rejected. */
export const waitForSinks = (service: Gatehouse): Promise<true> =>
  eventually('the end of what sinks are told', async () => {
    const waiting = await service.sql('SELECT 1 FROM webhook_event WHERE parked_at IS NULL LIMIT 1');
    return waiting.length === 0 ? true : undefined;
  });
