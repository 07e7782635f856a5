import { WebSocket } from 'ws';
import { cpuSeconds, median, start, stop } from './lib.mjs';

const SOCKETS = 400;
const AT_ONCE = 16;

/** Connects, identifies, waits for READY, closes. */
const identify = (url, token) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on('message', (data) => {
      const { op, t } = JSON.parse(data.toString());
      if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }));
      else if (t === 'READY') socket.close(1000);
    });
    socket.on('close', (code) => (code === 1000 || code === 1005 ? resolve() : reject(new Error(`closed ${code}`))));
    socket.on('error', reject);
  });

export async function measure(server, path, tokens) {
  const url = `${server.url.replace('http', 'ws')}${path}`;
  const before = cpuSeconds(server);
  const begun = performance.now();
  let left = SOCKETS;
  const worker = async () => {
    while (left-- > 0) await identify(url, tokens[left % tokens.length]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seconds = (performance.now() - begun) / 1000;
  return { rate: SOCKETS / seconds, cpu: ((cpuSeconds(server) - before) * 1e6) / SOCKETS };
}

/** Identifies per second, next to raw `ws` with the same lookup if a database server is available. */
export async function identifyRate(servers, crowd, rounds, rawScript) {
  const sessions = (name) => crowd[name].map(({ session }) => session);
  const bots = (name) => crowd[name].map(({ bot }) => bot.slice(4));
  const raw = process.env.DATABASE_URL ? await start(rawScript, {}) : undefined;
  const cases = [
    ...(raw ? [['raw ws + lookup', raw, '/', sessions('express')]] : []),
    ...['express', 'fastify'].flatMap((name) => [
      [`Identify by session, ${name}`, servers[name], '/gateway', sessions(name)],
      [`Identify by bot, ${name}`, servers[name], '/gateway', bots(name)],
    ]),
  ];
  const samples = new Map(cases.map(([name]) => [name, { rate: [], cpu: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, server, path, tokens] of cases) {
      const { rate, cpu } = await measure(server, path, tokens);
      samples.get(name).rate.push(rate);
      samples.get(name).cpu.push(cpu);
    }
  }
  if (raw) await stop(raw);
  const result = Object.fromEntries(
    [...samples].map(([name, { rate, cpu }]) => [name, { perSecond: median(rate), cpuMicroseconds: median(cpu) }]),
  );
  const floor = result['raw ws + lookup'];
  const rows = [['gateway', 'per second', 'of raw ws', 'CPU us']];
  for (const [name, { perSecond, cpuMicroseconds }] of Object.entries(result)) {
    rows.push([
      name,
      Math.round(perSecond),
      floor ? (perSecond / floor.perSecond).toFixed(2) : '',
      cpuMicroseconds.toFixed(0),
    ]);
  }
  return { result, rows };
}
