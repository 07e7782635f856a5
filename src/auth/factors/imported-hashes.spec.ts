import { hash } from '@node-rs/bcrypt';
import { importedHashFault, importedHashVerifier, toStoredHash } from './imported-hashes.js';

/** Hashes from the documentation and the tests of other implementations. */
const PUBLISHED_HASHES = [
  ['crypt_blowfish', 'U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['crypt_blowfish, 2y', 'U*U*', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  [
    'passlib',
    'toomanysecrets',
    '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk',
  ],
  ['RFC 6070', 'password', '$pbkdf2$4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE'],
  ['passlib', 'password', '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'],
  ['Django', 'lètmein', 'pbkdf2_sha256$1000000$seasalt$r1uLUxoxpP2Ued/qxvmje7UH9PUJBkRrvf9gGPL7Cps='],
  [
    'Django',
    'lètmein',
    'scrypt$16384$seasalt$8$5$ECMIUp+LMxMSK8xB/IVyba+KYGTI7FTnet025q/1f/vBAVnnP3hdYqJuRi+mJn6ji6ze3Fbb7JEFPKGpuEf5vw==',
  ],
  [
    'the argon2 crate',
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'the reference of argon2',
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
] as const;

test.each(PUBLISHED_HASHES)('%s: %s', async (_, password, text) => {
  expect(importedHashFault(text)).toBeUndefined();
  const stored = importedHashVerifier(toStoredHash(text));
  expect(await stored?.(password)).toBe(true);
  expect(await stored?.(`${password}.`)).toBe(false);
});

const B64 = 'A'.repeat(43);
const UNSUPPORTED = 'PASSWORD_HASH_UNSUPPORTED';
const TOO_COSTLY = 'PASSWORD_HASH_TOO_COSTLY';
const BCRYPT = `${'a'.repeat(21)}.${'a'.repeat(31)}`;

/** For each kind, the most expensive hash that is accepted and the cheapest that is rejected. */
test.each([
  ['bcrypt', `$2b$14$${BCRYPT}`, `$2b$15$${BCRYPT}`],
  ['bcrypt of Django', `bcrypt_sha256$$2b$14$${BCRYPT}`, `bcrypt_sha256$$2b$31$${BCRYPT}`],
  ['argon2: memory', `$argon2id$v=19$m=262144,t=3,p=1$${B64}$${B64}`, `$argon2id$v=19$m=262145,t=1,p=1$${B64}$${B64}`],
  ['argon2: passes', `$argon2i$v=19$m=1024,t=768,p=1$${B64}$${B64}`, `$argon2i$v=19$m=1024,t=769,p=1$${B64}$${B64}`],
  ['argon2: lanes', `$argon2d$v=16$m=1024,t=1,p=16$${B64}$${B64}`, `$argon2d$v=16$m=1024,t=1,p=17$${B64}$${B64}`],
  ['PBKDF2', `$pbkdf2-sha512$2000000$${B64}$${B64}`, `$pbkdf2-sha512$2000001$${B64}$${B64}`],
  ['PBKDF2 of Django', `pbkdf2_sha256$2000000$salt$${B64}=`, `pbkdf2_sha256$999999999$salt$${B64}=`],
  // 32 bytes are two blocks of SHA-1.
  ['PBKDF2: blocks', `$pbkdf2-sha1$1000000$${B64}$${B64}`, `$pbkdf2-sha1$1000001$${B64}$${B64}`],
  ['scrypt: memory', `$scrypt$ln=18,r=8,p=1$${B64}$${B64}`, `$scrypt$ln=19,r=8,p=1$${B64}$${B64}`],
  ['scrypt: lanes', `$scrypt$ln=14,r=8,p=16$${B64}$${B64}`, `$scrypt$ln=14,r=8,p=17$${B64}$${B64}`],
  ['scrypt of Django', `scrypt$262144$salt$8$1$${B64}=`, `scrypt$536870912$salt$8$1$${B64}=`],
])('%s: the cost of a password attempt is limited', (_, last, first) => {
  expect(importedHashFault(last)).toBeUndefined();
  expect(importedHashFault(first)).toBe(TOO_COSTLY);
});

test.each([
  ['nothing', ''],
  ['a password', 'correct horse'],
  ['a bare digest', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['MD5 of Django', 'md5$salt$5f4dcc3b5aa765d61d8327deb882cf99'],
  ['the bcrypt of 2011 with its fault', `$2x$10$${BCRYPT}`],
  ['bcrypt that is cut off', `$2b$10$${BCRYPT.slice(1)}`],
  ['bcrypt with a cost of 3', `$2b$03$${BCRYPT}`],
  ['bcrypt with what follows it', `$2b$10$${BCRYPT}\n`],
  ['argon2 without a version', `$argon2id$m=65536,t=2,p=1$${B64}$${B64}`],
  ['argon2 with a key', `$argon2id$v=19$m=65536,t=2,p=1,keyid=Zm9v$${B64}$${B64}`],
  ['argon2 without passes', `$argon2id$v=19$m=65536,t=0,p=1$${B64}$${B64}`],
  ['argon2 with less memory than its lanes need', `$argon2id$v=19$m=15,t=1,p=2$${B64}$${B64}`],
  ['letters left over', `$argon2id$v=19$m=65536,t=2,p=1$${B64}$${B64.slice(0, -1)}B`],
  ['a digest that tells too little', '$pbkdf2-sha256$1000$c2FsdHNhbHQ$AAAAAAAAAAAA'],
  ['a digest of another length than any', `$pbkdf2-sha256$1000$c2FsdHNhbHQ$${'A'.repeat(88)}`],
  ['no rounds', `$pbkdf2-sha256$0$${B64}$${B64}`],
  ['PBKDF2 of a digest that is not taken', `$pbkdf2-md5$1000$${B64}$${B64}`],
  ['a salt of three bytes', `$pbkdf2-sha256$1000$c2Fs$${B64}`],
  ['scrypt with N of no power of two', `scrypt$16385$salt$8$1$${B64}=`],
  ['scrypt with N of one', `scrypt$1$salt$8$1$${B64}=`],
  ['scrypt without blocks', `scrypt$16384$salt$0$1$${B64}=`],
  ['more than a hash is long', `$2b$10$${'a'.repeat(600)}`],
])('%s is not an accepted hash', (_, text) => {
  expect(importedHashFault(text)).toBe(UNSUPPORTED);
});

test('our own hash is not one of another service', () => {
  expect(importedHashVerifier(`$argon2id$v=19$m=19456,t=2,p=1$${B64}$${B64}`)).toBeNull();
});

test('bcrypt uses only the first 72 bytes', async () => {
  const made = await hash('0123456789'.repeat(8), 4);
  const stored = importedHashVerifier(toStoredHash(made));
  expect(await stored?.('0123456789'.repeat(8))).toBe(true);
  expect(await stored?.(`${'0123456789'.repeat(8).slice(0, 72)} something else`)).toBe(true);
  expect(await stored?.('0123456789'.repeat(8).slice(0, 71))).toBe(false);
});

test('a password is tried as typed, then in its normal form', async () => {
  const [composed, decomposed, wide] = ['caf\u00e9 au lait', 'cafe\u0301 au lait', '\uff43afe\u0301 au lait'];
  for (const [made, works, fails] of [
    [composed, [composed, decomposed, wide], 'cafe au lait'],
    [decomposed, [decomposed], composed],
  ] as const) {
    const stored = importedHashVerifier(toStoredHash(await hash(made, 4)));
    for (const spelling of works) expect(await stored?.(spelling)).toBe(true);
    expect(await stored?.(fails)).toBe(false);
  }
});
