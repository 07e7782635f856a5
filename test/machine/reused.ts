import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Persona, RawConnection, type RawResponse } from '../support/index.js';

/** The bytes of a request. `Host` and a request ID of its own are added, unless a line sets them. */
export function requestBytes(start: string, lines: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const has = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const added = [
    ...(has('host') ? [] : ['Host: gatehouse.test']),
    ...(has('x-request-id') ? [] : [`X-Request-ID: ${randomUUID()}`]),
  ];
  const head = [`${start} HTTP/1.1`, ...added, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

const idOf = (bytes: Buffer): string => /^x-request-id: (\S+)/im.exec(bytes.toString('latin1'))?.[1] ?? '';

/** The response to a request on its own connection, which must have the ID of the request and no byte after it. */
export async function ownResponse(port: number, bytes: Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open({ port });
  try {
    const response = await connection.send(bytes).readResponse();
    expect(connection.unread).toBe('');
    // A request that the parser rejects has no ID yet.
    if (response.status !== 431) expect(response.headers.get('x-request-id')).toBe(idOf(bytes));
    return response;
  } finally {
    connection.close();
  }
}

/** Each user requests the own account, one after the other, and must get it. */
export async function expectOwnAccounts(port: number, users: readonly Persona[]): Promise<void> {
  for (const { authorization, id } of users) {
    const bytes = requestBytes('GET /v1/users/@me', [`Authorization: ${authorization}`]);
    const { status, body } = await ownResponse(port, bytes);
    expect({ status, id: body.id }).toEqual({ status: 200, id });
  }
}
