import { parseRedisUrl } from './redis-url.js';

const HOST = { host: 'a.example', port: 6379 };

describe('parseRedisUrl', () => {
  test.each([
    ['redis://a.example', { kind: 'server', url: 'redis://a.example', hosts: [HOST] }],
    [
      'rediss://user:p%40ss@[::1]:7000/2?family=6',
      { kind: 'server', url: 'rediss://user:p%40ss@[::1]:7000/2?family=6', hosts: [{ host: '::1', port: 7000 }] },
    ],
    ['redis-cluster://a.example', { kind: 'cluster', isEncrypted: false, hosts: [HOST] }],
    [
      'rediss-cluster://:p%40ss%3Aword@a.example:6379,[::1]:7000/0',
      { kind: 'cluster', isEncrypted: true, password: 'p@ss:word', hosts: [HOST, { host: '::1', port: 7000 }] },
    ],
    [
      'redis-sentinel://a.example:6379,b/main',
      { kind: 'sentinel', isEncrypted: false, hosts: [HOST, { host: 'b', port: 26_379 }], name: 'main', db: 0 },
    ],
    [
      'rediss-sentinel://user:a:b@b/main/3?sentinel_user=s&sentinel_password=t%2Fu',
      {
        ...{ kind: 'sentinel', isEncrypted: true, hosts: [{ host: 'b', port: 26_379 }], name: 'main', db: 3 },
        ...{ username: 'user', password: 'a:b', sentinelUsername: 's', sentinelPassword: 't/u' },
      },
    ],
  ])('%s', (text, target) => {
    expect(parseRedisUrl(text)).toEqual(target);
  });

  test.each([
    'a.example:6379',
    'http://a.example',
    'redis-sentinel://a.example',
    'redis-sentinel://a.example/',
    'redis-sentinel://a.example/main/x',
    'redis-sentinel://a.example/main?password=x',
    'redis-sentinel://a.example,/main',
    'redis-sentinel://a.example:99999/main',
    'redis-sentinel://a:%zz@a.example/main',
    'redis-cluster://a.example/1',
    'redis-cluster://a.example?sentinel_user=s',
    'redis-cluster://',
    'redis-replica://a.example',
  ])('%s is invalid', (text) => {
    expect(parseRedisUrl(text)).toBeUndefined();
  });
});
