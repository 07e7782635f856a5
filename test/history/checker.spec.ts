import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Checker, type Promises, type Rule } from './checker.js';
import { type Credential, History, type Outcome } from './history.js';

const PROMISES: Promises = {
  told: 1000,
  unchecked: 60_000,
  recovery: 10_000,
  wakeup: 1000,
  reported: 5000,
  dropped: 100,
  lost: 200,
  loggedOut: 10_000,
};

const KEYS = [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('rsa', { modulusLength: 2048 })];

/** A history that is written by hand, entry by entry. */
class Made extends History {
  override end = 100_000;

  credential(id: string, more: Partial<Credential> = {}): this {
    this.issue({ id, scopes: [id, 'all'], issued: { start: 0, end: 10 }, ...more });
    return this;
  }

  used(credential: string, start: number, end: number, outcome: Outcome = 'ok', replica = 0): this {
    this.uses.push({ credential, start, end, outcome, replica });
    return this;
  }

  revoked(scope: string, start: number, end: number, outcome: Outcome = 'ok', spares: string[] = []): this {
    this.revocations.push({ kind: 'logout', ends: [scope], spares, start, end, outcome });
    return this;
  }

  leaked(start: number, end: number, outcome: Outcome = 'ok'): this {
    this.leakReports.push({ credential: 'token', start, end, outcome, replica: 1 });
    return this.revoked('token', start, end, 'unknown');
  }

  usedAt(service: number, start: number, end: number, outcome: Outcome = 'ok'): this {
    this.serviceUses.push({ service, credential: 'token', start, end, outcome });
    return this;
  }

  cutOff(service: number, start: number, end: number): this {
    this.serviceDisturbances.push({ service, start, end, isCut: true, fault: 'by hand' });
    return this;
  }

  wrote(value: string, start: number, end: number, outcome: Outcome = 'ok'): this {
    this.writes.push({ member: 'bio', value, start, end, outcome, replica: 0 });
    return this;
  }

  saw(value: string | null, start: number, end: number): this {
    this.reads.push({ member: 'bio', value, start, end, replica: 2 });
    return this;
  }

  socket(opened: number, closed: number | null, code: number | null = closed === null ? null : 4004): this {
    this.sockets.push({ credential: 'token', replica: 0, opened, closed, code });
    return this;
  }

  happened(name: string, start: number, end: number): this {
    this.events.push({ topic: 'hooks', name, start, end });
    return this;
  }

  stream(since: number, received: string[], forgotten: number | null = null): this {
    this.streams.push({ topic: 'hooks', since, received: received, discarded: forgotten });
    return this;
  }

  /** Signs a token with the first key. `by` is the key that it names. */
  signed(kind: 'ID token' | 'logout token', at: number, by = 0): this {
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `key ${by}` })).toString('base64url');
    const signature = sign('sha256', Buffer.from(`${head}.e30`), KEYS[0]?.privateKey as KeyObject);
    this.tokens.push({ kind, sid: 'sid', at, token: `${head}.e30.${signature.toString('base64url')}` });
    return this;
  }

  /** The session of `token` is known to an application. */
  login(): this {
    this.logins.push({ credential: 'token', sid: 'sid', application: 'app' });
    return this.signed('ID token', 20);
  }

  published(start: number, ...indexes: number[]): this {
    const keys = indexes.map((index) => ({
      ...(KEYS[index]?.publicKey.export({ format: 'jwk' }) ?? {}),
      kid: `key ${index}`,
    }));
    this.keySets.push({ replica: 0, start, end: start + 5, keys });
    return this;
  }

  rotated(start: number, end: number, outcome: 'ok' | 'unknown' = 'ok'): this {
    this.rotations.push({ start, end, outcome });
    return this;
  }

  disturbed(kind: 'stopped' | 'deaf', start: number, end: number, replica = 0): this {
    this.disturbances.push({ kind, start, end, replica, fault: 'by hand' });
    return this;
  }

  expect(...rules: Rule[]): void {
    expect(Checker.check(this, PROMISES).violations.map(({ rule }) => rule)).toEqual(rules);
  }
}

const made = () => new Made();
const token = () => made().credential('token');

describe('the checker of histories: the end of a credential', () => {
  test('a success that began before the revocation was acknowledged proves nothing', () => {
    token()
      .used('token', 90, 500)
      .used('token', 199, 600)
      .revoked('token', 100, 200)
      .used('token', 201, 300, 'refused')
      .expect();
  });

  test('one that began after it is found, at any time and with any scope of the revocation', () => {
    token().revoked('token', 100, 200).used('token', 201, 300).expect('used after its end');
    token().revoked('all', 100, 200).used('token', 201, 300).expect('used after its end');
  });

  test('a cache of five seconds is found by the requests that it still accepts', () => {
    const history = token().revoked('token', 1000, 1010);
    for (let start = 0; start < 8000; start += 100)
      history.used('token', start, start + 5, start < 6000 ? 'ok' : 'refused');
    history.expect(...Array.from({ length: 49 }, (): Rule => 'used after its end'));
  });

  test('neither a rejected revocation nor one of unknown outcome certainly ends anything', () => {
    token().revoked('token', 100, 200, 'refused').used('token', 300, 400).expect();
    token().revoked('token', 100, 200, 'unknown').used('token', 300, 400).used('token', 500, 600, 'refused').expect();
  });

  test('a revocation that excludes it, or that began before it was issued, ends nothing either', () => {
    token().revoked('all', 100, 200, 'ok', ['token']).used('token', 300, 400).expect();
    made()
      .credential('token', { issued: { start: 0, end: 150 } })
      .revoked('all', 100, 200)
      .used('token', 300, 400)
      .expect();
  });

  test('a use after a grace period is found, and disturbances extend this period', () => {
    const visitor = () => made().credential('visitor', { endsWithin: 1000 }).revoked('visitor', 100, 200);
    visitor().used('visitor', 1100, 1110).expect();
    visitor().used('visitor', 1300, 1310).expect('used after its end');
    visitor().disturbed('deaf', 300, 400).used('visitor', 1300, 1310).used('visitor', 11_200, 11_210).expect();
    visitor().disturbed('deaf', 300, 400).used('visitor', 11_400, 11_410).expect('used after its end');
    visitor().disturbed('deaf', 300, 400, 1).used('visitor', 1300, 1310).expect('used after its end');
  });
});

describe('the checker of histories: reports of leaks', () => {
  const late: Rule = 'a leaked credential stayed valid';

  test('a reported credential may work for a limited time', () => {
    token().leaked(100, 200).used('token', 5200, 5210).used('token', 5300, 5310, 'refused').expect();
    token().leaked(100, 200).used('token', 5201, 5210).expect(late);
    token().leaked(100, 200, 'unknown').used('token', 5201, 5210).expect();
  });

  test('the time begins again after each disturbance', () => {
    const disturbed = () => token().leaked(100, 200).disturbed('deaf', 4000, 9000);
    disturbed().used('token', 14_000, 14_010).expect();
    disturbed().used('token', 14_001, 14_010).expect(late);
  });

  test('it may end before the report is known to be processed, and not afterwards', () => {
    const processed = () => token().leaked(100, 200).revoked('token', 100, 900);
    processed().used('token', 150, 160, 'refused').used('token', 800, 810).expect();
    processed().used('token', 901, 910).expect('used after its end');
    processed().used('token', 80, 90, 'refused').expect('refused without a cause');
  });

  test('other tokens of the same owner stay valid', () => {
    const other = () => token().credential('other').leaked(100, 200).revoked('token', 100, 900);
    other().used('other', 1000, 1010).expect();
    other().used('other', 1000, 1010, 'refused').expect('refused without a cause');
  });
});

describe('the checker of histories: single-use secrets', () => {
  const secret = () => made().credential('code', { isOneTime: true });

  test('one success is enough, with any outcome of the others', () => {
    secret()
      .used('code', 20, 30)
      .used('code', 20, 30, 'refused')
      .used('code', 20, 30, 'unknown')
      .used('code', 40, 50, 'refused')
      .expect();
  });

  test('two successes are found, in parallel or one after the other', () => {
    secret().used('code', 20, 30).used('code', 25, 35, 'ok', 1).expect('redeemed twice');
    secret().used('code', 20, 30).used('code', 9000, 9010).expect('redeemed twice');
  });

  test('one success is also found if the secret had been revoked', () => {
    secret().revoked('all', 20, 30).used('code', 40, 50).expect('used after its end');
  });
});

describe('the checker of histories: acknowledged changes', () => {
  test('a read shows the last acknowledged value, or a concurrent one', () => {
    made()
      .saw(null, 0, 5)
      .wrote('one', 10, 20)
      .saw('one', 30, 40)
      .wrote('two', 50, 60)
      .saw('one', 45, 55)
      .saw('two', 55, 58)
      .expect();
  });

  test('a lost write is found by a read of the previous value', () => {
    made().wrote('one', 10, 20).wrote('two', 30, 40).saw('one', 50, 60).expect('an acknowledged change was lost');
    made().wrote('one', 10, 20).saw(null, 50, 60).expect('an acknowledged change was lost');
  });

  test('a value that was written twice may be seen after either, and is lost if another followed both', () => {
    const twice = () => made().wrote('one', 10, 20).wrote('two', 30, 40).wrote('one', 50, 60);
    twice().saw('one', 25, 28).saw('one', 70, 80).expect();
    twice().saw('two', 45, 55).saw('two', 61, 70).expect('an acknowledged change was lost');
    twice().wrote('two', 90, 100).saw('one', 110, 120).expect('an acknowledged change was lost');
    twice()
      .wrote('one', 90, 100, 'refused')
      .wrote('two', 70, 80)
      .saw('one', 110, 120)
      .expect('an acknowledged change was lost');
  });

  test('a write of unknown outcome may be seen at any time after it began, and not before', () => {
    made().wrote('one', 10, 20, 'unknown').wrote('two', 30, 40).saw('two', 50, 60).saw('one', 70, 80).expect();
    made().saw('one', 0, 5).wrote('one', 10, 20, 'unknown').expect('a change that was refused');
  });

  test('a read of a rejected or unwritten value is found', () => {
    made().wrote('one', 10, 20, 'refused').saw('one', 30, 40).expect('a change that was refused');
    made().saw('something', 30, 40).expect('a change that was refused');
  });

  test('an issued credential that is rejected is a lost change, unless something may have ended it', () => {
    token().used('token', 20, 30, 'refused').expect('refused without a cause');
    token().used('token', 5, 30, 'refused').used('token', 20, 30, 'unknown').expect();
    token().revoked('token', 25, 500).used('token', 20, 30, 'refused').expect();
    token().revoked('token', 25, 500, 'refused').used('token', 20, 30, 'refused').expect('refused without a cause');
  });
});

describe('the checker of histories: sockets', () => {
  const ended = () => token().revoked('token', 1000, 1100);

  test('closed within the time limit, or before the credential ended', () => {
    ended().socket(50, 2000).expect();
    ended().socket(50, 500, 1006).expect();
  });

  test('one that exceeds the time limit is found, closed later or never', () => {
    ended().socket(50, 2200).expect('a socket outlived its credential');
    ended().socket(50, 2200, 1006).expect('a socket outlived its credential');
    ended().socket(50, null).expect('a socket outlived its credential');
  });

  test('one that opens late has the time limit from then on', () => {
    ended().socket(5000, 5900).expect();
    ended().socket(5000, 6100).expect('a socket outlived its credential');
  });

  test('a disconnected replica has time to recover, but no longer than a credential may be unchecked', () => {
    ended().disturbed('deaf', 900, 2500).socket(50, 13_400).expect();
    ended().disturbed('deaf', 900, 2500).socket(50, 13_600).expect('a socket outlived its credential');
    ended().disturbed('deaf', 900, 90_000).socket(50, 61_000).expect();
    ended().disturbed('deaf', 900, 90_000).socket(50, 62_000).expect('a socket outlived its credential');
  });

  test('the time in which a process was paused does not count', () => {
    ended().disturbed('stopped', 900, 90_000).socket(50, 91_500).expect();
  });

  test('4004 without a cause is found', () => {
    token().socket(50, 900).expect('refused without a cause');
    token().socket(50, 900, 1006).socket(50, null).expect();
  });
});

describe('the checker of histories: gateway sessions that continue', () => {
  const three = () => made().happened('one', 100, 110).happened('two', 120, 130).happened('three', 140, 150);

  test('missing later events and events from before the session are accepted', () => {
    three().stream(50, []).stream(50, ['one', 'two']).stream(50, ['one', 'two', 'three']).expect();
    three().stream(115, ['two', 'three']).stream(125, ['three']).expect();
  });

  test('a skipped event is found by a later one, and so are two in the wrong order', () => {
    three().stream(50, ['one', 'three']).expect('an event was passed over');
    three().stream(50, ['three']).expect('an event was passed over', 'an event was passed over');
    three().stream(50, ['two', 'one', 'three']).expect('an event was passed over');
  });

  test('concurrent events may arrive in any order', () => {
    made().happened('one', 100, 130).happened('two', 120, 140).stream(50, ['two', 'one']).stream(50, ['two']).expect();
  });

  test('a lost session is found, unless there was a disturbance since it began', () => {
    const forgotten = () => token().used('token', 20, 30).stream(500, [], 5000);
    forgotten().expect('a session was forgotten');
    forgotten().disturbed('deaf', 4000, 4100).expect();
    forgotten().used('token', 20, 30, 'ok', 1).disturbed('deaf', 4000, 4100, 1).expect();
    forgotten().disturbed('deaf', 5100, 5200).expect('a session was forgotten');
  });
});

describe('the checker of histories: ID tokens, logout tokens and keys', () => {
  const ended = () => token().login().revoked('token', 1000, 1100);
  const missing = 'a session ended without its logout token';

  test('an ended session needs a logout token, which may arrive before the response', () => {
    ended().signed('logout token', 1050).expect();
    ended().signed('logout token', 9000).expect();
    ended().expect(missing);
    token().login().revoked('all', 1000, 1100).expect(missing);
    token().login().expect();
  });

  test('a session that may not have ended needs none', () => {
    token().login().revoked('token', 1000, 1100, 'refused').expect();
    token().login().revoked('token', 1000, 1100, 'unknown').expect();
    token().login().revoked('all', 1000, 1100, 'ok', ['token']).expect();
  });

  test('there is time after the end of the session and of all disturbances', () => {
    token().login().revoked('token', 95_000, 95_100).expect();
    ended().disturbed('deaf', 2000, 95_000).expect();
    ended().disturbed('deaf', 2000, 80_000).expect(missing);
  });

  test('a deleted application gets none', () => {
    ended().revoked('app', 500, 600).expect();
    ended().revoked('app', 500, 600, 'refused').expect(missing);
  });

  test('one before the session could end is found', () => {
    ended().signed('logout token', 900).expect('a logout token without a cause');
    token().login().signed('logout token', 900).expect('a logout token without a cause');
  });

  test('every later key set has the key of a token, and the key verifies it', () => {
    token().login().published(30, 0).published(40, 1, 0).expect();
    token().login().published(30, 1).expect('a key set without the key of a token');
    token().signed('ID token', 20, 1).published(30, 0, 1).expect('a token with a wrong signature');
  });

  test('an earlier key set has the key of a token, unless the keys were rotated twice since then', () => {
    const lacking = 'a key set without the key of a token';
    token().login().published(10, 1).expect(lacking);
    token().login().published(18, 1).expect();
    token().login().rotated(11, 14).published(5, 1).expect(lacking);
    token().login().rotated(2, 4).rotated(11, 14).published(5, 1).expect(lacking);
    token().login().rotated(2, 6).rotated(11, 14).published(5, 1).expect();
    token().login().rotated(11, 14).rotated(22, 24).published(5, 1).expect(lacking);
    token().login().rotated(11, 14).rotated(18, 24).published(5, 1).expect();
    token().login().rotated(1, 2, 'unknown').rotated(11, 14).published(5, 1).expect();
    token().login().rotated(1, 2, 'unknown').rotated(3, 4).rotated(11, 14).published(5, 1).expect(lacking);
    token().login().rotated(11, 14).published(30, 1).expect(lacking);
  });
});

describe('services that keep decisions', () => {
  const late: Rule = 'admitted by a service after its end';
  const cutOff: Rule = 'admitted by a service that was cut off';

  test('may admit a revoked credential for a short time', () => {
    token().revoked('token', 1000, 1010).usedAt(0, 900, 905).usedAt(0, 1100, 1105).usedAt(1, 1105, 1200).expect();
    token().revoked('token', 1000, 1010).usedAt(0, 1111, 1200).expect(late);
    token().revoked('token', 1000, 1010).usedAt(0, 1111, 1200, 'refused').usedAt(0, 1111, 1200, 'unknown').expect();
  });

  test('reject no credential without a cause', () => {
    token().usedAt(0, 900, 905, 'refused').expect('refused without a cause');
    token().revoked('token', 900, 1010, 'unknown').usedAt(0, 890, 905, 'refused').expect();
  });

  test('admit nothing if they are cut off', () => {
    token().cutOff(0, 1000, 2000).usedAt(0, 1199, 1210).usedAt(1, 1500, 1510).usedAt(0, 1900, 2001).expect();
    token().cutOff(0, 1000, 2000).usedAt(0, 1201, 1210).expect(cutOff);
    token().cutOff(0, 1000, 2000).usedAt(0, 1201, 1210, 'unknown').expect();
  });

  test('have a lag for each credential that they had admitted before', () => {
    const history = token().revoked('token', 1000, 1010).usedAt(0, 900, 905).usedAt(0, 1050, 1055);
    history.usedAt(1, 900, 905).usedAt(1, 1050, 1055, 'refused').usedAt(2, 1050, 1055, 'refused');
    expect(Checker.check(history, PROMISES).lags).toEqual([40, 0]);
  });

  test('have a calm lag while neither a replica nor the service is disturbed', () => {
    const history = () => token().revoked('token', 5000, 5010).usedAt(0, 900, 905).usedAt(0, 5050, 5055);
    const calmLagsOf = (one: Made) => Checker.check(one, PROMISES).calmLags;
    expect(calmLagsOf(history())).toEqual([40]);
    expect(calmLagsOf(history().disturbed('deaf', 3000, 3999).cutOff(0, 3000, 3999).cutOff(1, 5000, 5001))).toEqual([
      40,
    ]);
    expect(calmLagsOf(history().disturbed('deaf', 3000, 4000))).toEqual([]);
    expect(calmLagsOf(history().disturbed('deaf', 5049, 5060))).toEqual([]);
    expect(calmLagsOf(history().cutOff(0, 3000, 4000))).toEqual([]);
  });
});
