import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Sends the headers of a request and a part of its body. `finish` sends the rest. */
export async function sendPartialRequest(
  url: string,
  account: object,
): Promise<{ answer: Promise<[number, object]>; finish(): void }> {
  const body = JSON.stringify(account);
  const sent = request(`${url}/v1/auth/register`, {
    method: 'POST',
    agent: new Agent(),
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  });
  const answer = new Promise<[number, object]>((resolve, reject) => {
    sent.on('response', (response) => {
      text(response).then((found) => resolve([response.statusCode ?? 0, JSON.parse(found)]), reject);
    });
    sent.on('error', reject);
  });
  answer.catch(() => {});
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 10));
  return { answer, finish: () => sent.end(body.slice(10)) };
}
