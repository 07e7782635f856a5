import { Checker, type Promises, type Rule } from './checker.js';
import { type Credential, History, type Outcome } from './history.js';

const PROMISES: Promises = { told: 1000, unchecked: 60_000, recovery: 10_000, wakeup: 1000 };

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
    this.revocations.push({ kind: 'logout', ends: [scope], spares, start, end, outcome, replica: 1 });
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

  stream(since: number, heard: string[], forgotten: number | null = null): this {
    this.streams.push({ topic: 'hooks', since, heard, forgotten });
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

  test('one that began after it is found, however soon and by whatever scope it ended', () => {
    token().revoked('token', 100, 200).used('token', 201, 300).expect('used after its end');
    token().revoked('all', 100, 200).used('token', 201, 300).expect('used after its end');
  });

  test('a cache of five seconds is found by what it still admits', () => {
    const history = token().revoked('token', 1000, 1010);
    for (let start = 0; start < 8000; start += 100)
      history.used('token', start, start + 5, start < 6000 ? 'ok' : 'refused');
    history.expect(...Array.from({ length: 49 }, (): Rule => 'used after its end'));
  });

  test('neither a refused revocation nor one of unknown outcome ends anything for sure', () => {
    token().revoked('token', 100, 200, 'refused').used('token', 300, 400).expect();
    token().revoked('token', 100, 200, 'unknown').used('token', 300, 400).used('token', 500, 600, 'refused').expect();
  });

  test('nor does one that spares it, or that began before it was issued', () => {
    token().revoked('all', 100, 200, 'ok', ['token']).used('token', 300, 400).expect();
    made()
      .credential('token', { issued: { start: 0, end: 150 } })
      .revoked('all', 100, 200)
      .used('token', 300, 400)
      .expect();
  });

  test('what may be used for a time is found after it, of which the time of a disturbance is no part', () => {
    const visitor = () => made().credential('visitor', { endsWithin: 1000 }).revoked('visitor', 100, 200);
    visitor().used('visitor', 1100, 1110).expect();
    visitor().used('visitor', 1300, 1310).expect('used after its end');
    visitor().disturbed('deaf', 300, 400).used('visitor', 1300, 1310).used('visitor', 11_200, 11_210).expect();
    visitor().disturbed('deaf', 300, 400).used('visitor', 11_400, 11_410).expect('used after its end');
    visitor().disturbed('deaf', 300, 400, 1).used('visitor', 1300, 1310).expect('used after its end');
  });
});

describe('the checker of histories: what works once', () => {
  const secret = () => made().credential('code', { isOneTime: true });

  test('one success, whatever the others were told', () => {
    secret()
      .used('code', 20, 30)
      .used('code', 20, 30, 'refused')
      .used('code', 20, 30, 'unknown')
      .used('code', 40, 50, 'refused')
      .expect();
  });

  test('two successes are found, at once or one after the other', () => {
    secret().used('code', 20, 30).used('code', 25, 35, 'ok', 1).expect('redeemed twice');
    secret().used('code', 20, 30).used('code', 9000, 9010).expect('redeemed twice');
  });

  test('one success is found too if the secret had been ended', () => {
    secret().revoked('all', 20, 30).used('code', 40, 50).expect('used after its end');
  });
});

describe('the checker of histories: acknowledged changes', () => {
  test('a read shows the last acknowledged value, or one that was written meanwhile', () => {
    made()
      .saw(null, 0, 5)
      .wrote('one', 10, 20)
      .saw('one', 30, 40)
      .wrote('two', 50, 60)
      .saw('one', 45, 55)
      .saw('two', 55, 58)
      .expect();
  });

  test('a lost write is found by a read of what was before it', () => {
    made().wrote('one', 10, 20).wrote('two', 30, 40).saw('one', 50, 60).expect('an acknowledged change was lost');
    made().wrote('one', 10, 20).saw(null, 50, 60).expect('an acknowledged change was lost');
  });

  test('a value that was written twice may be seen after either, and is lost where another followed both', () => {
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

  test('a write of unknown outcome may be seen at any time since it began, and not before', () => {
    made().wrote('one', 10, 20, 'unknown').wrote('two', 30, 40).saw('two', 50, 60).saw('one', 70, 80).expect();
    made().saw('one', 0, 5).wrote('one', 10, 20, 'unknown').expect('a change that was refused');
  });

  test('a refused write is found by a read of it, and so is what nobody wrote', () => {
    made().wrote('one', 10, 20, 'refused').saw('one', 30, 40).expect('a change that was refused');
    made().saw('something', 30, 40).expect('a change that was refused');
  });

  test('an issued credential that is refused is a lost change, unless something may have ended it', () => {
    token().used('token', 20, 30, 'refused').expect('refused without a cause');
    token().used('token', 5, 30, 'refused').used('token', 20, 30, 'unknown').expect();
    token().revoked('token', 25, 500).used('token', 20, 30, 'refused').expect();
    token().revoked('token', 25, 500, 'refused').used('token', 20, 30, 'refused').expect('refused without a cause');
  });
});

describe('the checker of histories: sockets', () => {
  const ended = () => token().revoked('token', 1000, 1100);

  test('closed within the promise, or before the credential ended', () => {
    ended().socket(50, 2000).expect();
    ended().socket(50, 500, 1006).expect();
  });

  test('one that outlives the promise is found, whatever closes it then, and so is one that is never closed', () => {
    ended().socket(50, 2200).expect('a socket outlived its credential');
    ended().socket(50, 2200, 1006).expect('a socket outlived its credential');
    ended().socket(50, null).expect('a socket outlived its credential');
  });

  test('one that opens late has the time of the promise from then on', () => {
    ended().socket(5000, 5900).expect();
    ended().socket(5000, 6100).expect('a socket outlived its credential');
  });

  test('what could not hear has time to recover, but no longer than a credential may go unchecked', () => {
    ended().disturbed('deaf', 900, 2500).socket(50, 13_400).expect();
    ended().disturbed('deaf', 900, 2500).socket(50, 13_600).expect('a socket outlived its credential');
    ended().disturbed('deaf', 900, 90_000).socket(50, 61_000).expect();
    ended().disturbed('deaf', 900, 90_000).socket(50, 62_000).expect('a socket outlived its credential');
  });

  test('the time in which a process did not run does not count at all', () => {
    ended().disturbed('stopped', 900, 90_000).socket(50, 91_500).expect();
  });

  test('4004 without a cause is found', () => {
    token().socket(50, 900).expect('refused without a cause');
    token().socket(50, 900, 1006).socket(50, null).expect();
  });
});

describe('the checker of histories: gateway sessions that go on', () => {
  const three = () => made().happened('one', 100, 110).happened('two', 120, 130).happened('three', 140, 150);

  test('what is not told yet may still come, and what was before the session need not', () => {
    three().stream(50, []).stream(50, ['one', 'two']).stream(50, ['one', 'two', 'three']).expect();
    three().stream(115, ['two', 'three']).stream(125, ['three']).expect();
  });

  test('an event that is passed over is found by one that came later, and so are two in the wrong order', () => {
    three().stream(50, ['one', 'three']).expect('an event was passed over');
    three().stream(50, ['three']).expect('an event was passed over', 'an event was passed over');
    three().stream(50, ['two', 'one', 'three']).expect('an event was passed over');
  });

  test('what was done at the same time may come in any order', () => {
    made().happened('one', 100, 130).happened('two', 120, 140).stream(50, ['two', 'one']).stream(50, ['two']).expect();
  });

  test('a session that is forgotten is found, unless something was disturbed since it began', () => {
    const forgotten = () => token().used('token', 20, 30).stream(500, [], 5000);
    forgotten().expect('a session was forgotten');
    forgotten().disturbed('deaf', 4000, 4100).expect();
    forgotten().used('token', 20, 30, 'ok', 1).disturbed('deaf', 4000, 4100, 1).expect();
    forgotten().disturbed('deaf', 5100, 5200).expect('a session was forgotten');
  });
});
