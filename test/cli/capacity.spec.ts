import { execute } from '../../src/cli/execute.js';

/** Runs the command in this process. */
async function run(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { env: {}, out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
  const code = await execute(['capacity', ...args], terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}
const planOf = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

const EXAMPLE = ['--accounts', '10000000', '--sockets', '100000', '--requests', '5000', '--sign-ins', '200'];

describe('gatehouse capacity', () => {
  test('calculates the example from the measured costs, at half the use of each core', async () => {
    const { demand, plan, measured } = await planOf(...EXAMPLE);
    expect(demand).toEqual({ accounts: 10_000_000, sockets: 100_000, requests: 5000, signIns: 200 });
    const { request, sign_in: signIn, socket, account } = measured;
    const heartbeats = (100_000 / socket.heartbeat_seconds) * socket.heartbeat_cpu_us;
    const seconds = (5000 * request.cpu_us + 200 * signIn.cpu_us + heartbeats) / 1e6;
    expect(plan.service.processes).toBe(Math.ceil(seconds * 2));
    expect(plan.service.memoryBytes).toBeGreaterThan((100_000 / plan.service.processes) * socket.bytes);
    expect(plan.database.cores).toBe(
      Math.ceil(((5000 * request.database_cpu_us + 200 * signIn.database_cpu_us) / 1e6) * 2),
    );
    expect(plan.database.accountBytes).toBe(1e7 * account.stored_bytes);
    expect(plan.redis.bytes).toBe(100_000 * socket.redis_bytes);
    expect(plan.warnings).toEqual([]);
  });

  test('every measured cost is greater than 0, and the machine is named', async () => {
    const { measured } = await planOf(...EXAMPLE);
    const numbers = Object.values(measured).flatMap((part) =>
      typeof part === 'object' && part !== null ? Object.values(part) : [],
    );
    expect(numbers).toHaveLength(15);
    for (const number of numbers) expect(number).toBeGreaterThan(0);
    expect(measured.machine).toMatch(/\d cores, \d+ GiB, Node\.js \d/);
  });

  test('plans two processes for a small load, so that one can fail', async () => {
    const { plan } = await planOf('--requests', '1');
    expect(plan).toMatchObject({ service: { processes: 2 }, database: { cores: 1, connections: 24 } });
  });

  test('warns above the ceiling of one primary', async () => {
    const { plan } = await planOf('--sign-ins', '1');
    const above = String(plan.ceiling.signInsPerSecond + 100);
    expect((await planOf('--sign-ins', above)).plan.warnings).toEqual([
      expect.stringContaining('One primary with 64 cores is not sufficient'),
      expect.stringContaining('need a pooler'),
    ]);
    expect((await run('--sign-ins', above)).out).toMatch(/^Warning +One primary/m);
  });

  test('prints text with units', async () => {
    const { code, out, err } = await run(...EXAMPLE);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Service +\d+ processes/);
    expect(out).toMatch(/accounts \d+ GiB/);
  });

  test.each([
    [[], 'Give at least one of --accounts'],
    [['--sockets', '-1'], '--sockets'],
    [['--requests', '1.5'], '--requests must be a whole number'],
    [['--accounts', '1', 'more'], 'Unexpected argument: more'],
  ])('rejects invalid arguments: %j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});
