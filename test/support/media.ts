import type { ServiceEndpoint } from './gatehouse.js';
import { expect } from './optional-packages.js';

/** A planned upload. */
export interface PlannedUpload {
  readonly id: number;
  readonly filename: string;
  readonly upload_filename: string;
  readonly file_size: number;
  readonly content_type: string;
  readonly upload_url: string;
  readonly expires_at: string;
}

/** A stored attachment after its upload was completed. */
export interface UploadedFile {
  readonly upload_filename: string;
  readonly id: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
}

type Holder = { authorization: string } | string;

/** The path and the query of a URL that the service issued. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Fetches a path. Returns the body as bytes. */
export async function fetchBytes(
  service: ServiceEndpoint,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(service.url + path, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Plans the upload of files of these sizes. */
export async function planUploads(
  service: ServiceEndpoint,
  holder: Holder,
  files: { filename: string; size: number }[],
): Promise<PlannedUpload[]> {
  const attachments = files.map(({ filename, size }, id) => ({
    ...{ id, filename, file_size: size, content_type: 'application/octet-stream' },
  }));
  const { status, body } = await service.as(holder).post('/v1/media/uploads', { attachments });
  expect({ status, body }).toEqual({ status: 200, body: { attachments: expect.any(Array) } });
  return body.attachments;
}

/** Plans, sends and completes the upload of one attachment. */
export async function uploadFile(
  service: ServiceEndpoint,
  holder: Holder,
  filename: string,
  bytes: Uint8Array,
): Promise<UploadedFile> {
  const [planned] = (await planUploads(service, holder, [{ filename, size: bytes.length }])) as [PlannedUpload];
  expect((await service.anonymous.put(pathOf(planned.upload_url), bytes)).status).toBe(200);
  const { status, body } = await service
    .as(holder)
    .post('/v1/media/uploads/complete', { uploads: [{ upload_filename: planned.upload_filename }] });
  expect({ status, body }).toEqual({ status: 200, body: { uploads: [expect.any(Object)] } });
  return body.uploads[0];
}
