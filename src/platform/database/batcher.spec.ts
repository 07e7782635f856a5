import { KeyedBatcher } from './batcher.js';

/** Work whose batches the test completes or fails itself, any number of times. */
function createPendingWork() {
  const begun: { key: string; items: string[]; end: (error?: unknown) => void }[] = [];
  const work = (key: string, items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: unknown) => (error ? reject(error) : resolve(items.map((item) => `${item} done`)));
      begun.push({ key, items: [...items], end });
    });
  const next = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    return begun.splice(0);
  };
  return { work, next };
}

const errorWithCode = (code: string) => Object.assign(new Error('refused'), { code });

const setUp = (atOnce = 50) => {
  const { work, next } = createPendingWork();
  return { batches: new KeyedBatcher(work, { nameOf: (item: string) => item, maxSize: atOnce }), next };
};

test('items of one turn are sent together, later ones in the next batch, each with its own result', async () => {
  const { batches, next } = setUp();
  const first = ['a', 'b'].map((item) => batches.submit('x', item));
  const [one] = await next();
  expect(one?.items).toEqual(['a', 'b']);
  const second = ['c', 'd', 'e'].map((item) => batches.submit('x', item));
  expect(await next()).toEqual([]);
  one?.end();
  expect(await Promise.all(first)).toEqual(['a done', 'b done']);
  const [two] = await next();
  expect(two?.items).toEqual(['c', 'd', 'e']);
  two?.end();
  expect(await Promise.all(second)).toEqual(['c done', 'd done', 'e done']);
  const third = batches.submit('x', 'f');
  const [three] = await next();
  three?.end();
  expect(await third).toBe('f done');
});

test('another key does not wait', async () => {
  const { batches, next } = setUp();
  const [slow, fast] = [batches.submit('x', 'a'), batches.submit('y', 'b')];
  const [x, y] = await next();
  expect([x?.key, y?.key]).toEqual(['x', 'y']);
  y?.end();
  expect(await fast).toBe('b done');
  x?.end();
  expect(await slow).toBe('a done');
});

test('the size of a batch is limited, and equal items are sent one after another, without delaying others', async () => {
  const { batches, next } = setUp(3);
  const all = ['a', 'a', 'a', 'b', 'c', 'd'].map((item) => batches.submit('x', item));
  const seen: string[][] = [];
  for (let [batch] = await next(); batch; [batch] = await next()) {
    seen.push(batch.items);
    batch.end();
  }
  expect(seen).toEqual([['a', 'b', 'c'], ['a', 'd'], ['a']]);
  expect(await Promise.all(all)).toEqual(['a done', 'a done', 'a done', 'b done', 'c done', 'd done']);
});

test.each(['22021', '23503', '40P01', '55P03', '57014'])(
  'a batch that the database rejects with %s is repeated item by item, before later items',
  async (code) => {
    const { batches, next } = setUp();
    const requested = ['good', 'bad', 'fine'].map((item) => batches.submit('x', item));
    const rejection = expect(requested[1]).rejects.toThrow('refused');
    const [all] = await next();
    all?.end(errorWithCode(code));
    const later = batches.submit('x', 'later');
    for (const item of ['good', 'bad', 'fine', 'later']) {
      const begun = await next();
      expect(begun.map(({ items }) => items)).toEqual([[item]]);
      begun[0]?.end(item === 'bad' ? errorWithCode(code) : undefined);
    }
    expect(await Promise.all([requested[0], requested[2], later])).toEqual(['good done', 'fine done', 'later done']);
    await rejection;
    expect(await next()).toEqual([]);
  },
);

test.each(['08006', '57P01', '53300', 'ECONNRESET', 'EPIPE', undefined])(
  'an item that may have succeeded is not repeated: %s',
  async (code) => {
    const { batches, next } = setUp();
    const both = ['a', 'b'].map((item) => batches.submit('x', item));
    const refusals = both.map((one) => expect(one).rejects.toThrow('refused'));
    const [batch] = await next();
    batch?.end(code ? errorWithCode(code) : new Error('refused'));
    await Promise.all(refusals);
    expect(await next()).toEqual([]);
    const after = batches.submit('x', 'c');
    const [last] = await next();
    last?.end();
    expect(await after).toBe('c done');
  },
);
