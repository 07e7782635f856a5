export { solveChallenge } from 'altcha-lib';

interface KeyDerivation {
  readonly algorithm: string;
  readonly cost: number;
  readonly keyLength?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Derives the key of a challenge with the browser's PBKDF2. */
export async function pbkdf2(
  { algorithm, cost, keyLength = 32 }: KeyDerivation,
  salt: Uint8Array,
  password: Uint8Array,
) {
  const key = await crypto.subtle.importKey('raw', password as Bytes, { name: 'PBKDF2' }, false, ['deriveBits']);
  const rule = { name: 'PBKDF2', salt: salt as Bytes, iterations: cost, hash: algorithm.slice('PBKDF2/'.length) };
  return { parameters: {}, derivedKey: new Uint8Array(await crypto.subtle.deriveBits(rule, key, keyLength * 8)) };
}
