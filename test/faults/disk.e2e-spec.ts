import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  expectApiError,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  type Persona,
  pathOf,
  person,
  planUploads,
  uploadFile,
} from '../support/index.js';

const disk = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));

function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isMounted = mounted();
const describeOnDisk = (title: string, suite: () => void) =>
  isMounted ? describe(title, suite) : describe.skip(`${title} (skipped: no small file system can be mounted)`, suite);

afterAll(() => {
  if (isMounted) execFileSync('umount', ['-l', disk]);
  rmdirSync(disk);
});

describeOnDisk('FLT-33 a full disk for media', () => {
  let service: Gatehouse;
  let alice: Persona;
  beforeAll(async () => {
    service = await gatehouse({ env: { MEDIA_LOCAL_ROOT: disk } });
    alice = await person(service, 'alice');
  });
  afterAll(() => service.close());

  const free = () => {
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize;
  };

  test('rejects uploads without space, keeps nothing of them, and serves stored files', async () => {
    const small = Buffer.alloc(8 * 1024, 'a');
    const stored = await uploadFile(service, alice, 'small.txt', small);
    const before = free();

    const large = Buffer.alloc(400 * 1024, 'b');
    const [planned] = await planUploads(service, alice, [{ filename: 'large.txt', size: large.length }]);
    const refused = await service.anonymous.put(pathOf(planned?.upload_url ?? ''), large);
    expectApiError(refused, 'SERVICE_UNAVAILABLE');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const upload = { upload_filename: planned?.upload_filename };
    const completed = await service.as(alice).post('/v1/media/uploads/complete', { uploads: [upload] });
    expect(completed.status).toBe(400);
    expect(free()).toBe(before);

    expect((await fetchBytes(service, pathOf(stored.url))).bytes.equals(small)).toBe(true);
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    const again = await uploadFile(service, alice, 'again.txt', small);
    expect((await fetchBytes(service, pathOf(again.url))).bytes.equals(small)).toBe(true);
  });
});
