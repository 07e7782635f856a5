import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate with its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The path of the certificate file, for `NODE_EXTRA_CA_CERTS`. */
  readonly path: string;
}

function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), body]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...contents: Uint8Array[]): Buffer => der(0x30, ...contents);
const ECDSA_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

const generalName = (host: string): Buffer =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host, 'ascii'));

const utcTime = (iso: string): Buffer => der(0x17, Buffer.from(`${iso.slice(2).replace(/[-T:]/g, '').slice(0, 12)}Z`));

/** Creates a certificate for host names and IPv4 addresses, valid from 2020 to 2049. */
export function certificate(...hosts: string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('Test')))));
  const names = sequence(...hosts.map(generalName));
  const facts = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name,
    sequence(utcTime('2020-01-01T00:00:00'), utcTime('2049-01-01T00:00:00')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', facts, privateKey));
  const base64 = sequence(facts, ECDSA_SHA256, signature).toString('base64');
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n').trim()}\n-----END CERTIFICATE-----\n`;
  const path = join(process.env.GATEHOUSE_TEST_DIR ?? tmpdir(), `certificate-${randomBytes(6).toString('hex')}.pem`);
  writeFileSync(path, cert);
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, path };
}
