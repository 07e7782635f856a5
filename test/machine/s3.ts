import crypto, { type CipherKey, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import S3rver from 's3rver';
import { CuttableProxy } from '../support/cuttable-proxy.js';

const BUCKETS = { uploads: 'test-uploads', media: 'test-media', ledger: 'test-ledger' };

// s3rver encrypts the token of a truncated listing with DES, which OpenSSL 3 no longer has. Triple DES with three equal
// keys has the same result.
const { createCipheriv } = crypto;
crypto.createCipheriv = ((name: string, key: CipherKey, ...more: [null]) =>
  name === 'des'
    ? createCipheriv('des-ede3-cbc', Buffer.concat([key, key, key] as Buffer[]), ...more)
    : createCipheriv(name, key, ...more)) as typeof createCipheriv;

/** An S3-compatible server with empty buckets, behind a proxy that tests can cut. */
export interface S3Server {
  readonly proxy: CuttableProxy;
  readonly secretAccessKey: string;
  /** Settings that make a service use this server. */
  readonly env: Record<string, string>;
  /** The names of all objects in a bucket. */
  objects(bucket: keyof typeof BUCKETS): string[];
  read(bucket: keyof typeof BUCKETS, name: string): string;
  /** Stores an object without the service. */
  put(bucket: keyof typeof BUCKETS, name: string, text: string): void;
  /** Deletes an object, as if the server had lost it. */
  remove(bucket: keyof typeof BUCKETS, name: string): void;
  close(): Promise<void>;
}

export async function s3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-s3-'));
  const configureBuckets = Object.values(BUCKETS).map((name) => ({ name }));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
  const { port } = await server.run();
  const { proxy, url } = await CuttableProxy.to(`http://127.0.0.1:${port}`, 80);
  const pathOf = (bucket: keyof typeof BUCKETS, name: string) =>
    join(directory, BUCKETS[bucket], `${name}._S3rver_object`);
  const secretAccessKey = randomBytes(30).toString('base64url');
  return {
    proxy,
    secretAccessKey,
    env: {
      MEDIA_STORAGE: 's3',
      MEDIA_S3_ENDPOINT: url,
      MEDIA_S3_FORCE_PATH_STYLE: 'true',
      MEDIA_S3_ACCESS_KEY_ID: 'S3RVER',
      MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey,
      MEDIA_S3_UPLOADS_BUCKET: BUCKETS.uploads,
      MEDIA_S3_MEDIA_BUCKET: BUCKETS.media,
    },
    objects: (bucket) =>
      readdirSync(join(directory, BUCKETS[bucket]), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.replace('._S3rver_object', ''))
        .sort(),
    read: (bucket, name) => readFileSync(pathOf(bucket, name), 'utf8'),
    put(bucket, name, text) {
      mkdirSync(dirname(pathOf(bucket, name)), { recursive: true });
      writeFileSync(pathOf(bucket, name), text);
    },
    remove: (bucket, name) => rmSync(pathOf(bucket, name)),
    async close() {
      proxy.close();
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
