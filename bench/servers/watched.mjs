/**
 * The built service with an additional module that benchmarks control over IPC. It reports the resources of the process
 * and the statements that it sends, and erases accounts that are due. `LEAK` (`heap`, `handles` or both) makes the
 * module leak, which a soak test must find.
 */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { Injectable, Module } from '@nestjs/common';
import { Cleanup, Database, extension, start } from '../../dist/src/index.js';
import { Client } from './driver.mjs';

const LEAKS_PER_SECOND = 10;

/** Statements that were sent since the last report, by their text. */
let recorded = new Map();
const { query } = Client.prototype;

function record() {
  Client.prototype.query = function (...args) {
    const [first, second] = args;
    const { name, text, values } = typeof first === 'string' ? { text: first, values: second } : first;
    const begun = performance.now();
    const ended = () => {
      const known = recorded.get(text) ?? { text, name, ms: [] };
      known.ms.push(performance.now() - begun);
      recorded.set(text, { ...known, values: Array.isArray(values) ? values : [] });
    };
    const last = args.at(-1);
    if (typeof last === 'function') {
      args[args.length - 1] = (...answer) => {
        ended();
        last(...answer);
      };
    }
    const answer = query.apply(this, args);
    if (typeof last !== 'function' && typeof answer?.then === 'function') answer.then(ended, ended);
    return answer;
  };
}

function counted(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const held = [];
const LEAKS = {
  heap: () => held.push(Array.from({ length: 1000 }, (_, n) => ({ n, text: `${held.length}-${n}` }))),
  handles: () => held.push(setInterval(() => {}, 2 ** 31 - 1)),
};

class Watch {
  constructor(database, cleanup) {
    const asked = {
      sample: () => {
        globalThis.gc?.();
        const resources = counted(process.getActiveResourcesInfo());
        const prepared = globalThis.preparedStatements?.();
        return { ...process.memoryUsage(), ...prepared, resources, files: readdirSync('/proc/self/fd').length };
      },
      record: () => record(),
      pause: () => {
        Client.prototype.query = query;
      },
      recorded: () => {
        const statements = [...recorded.values()];
        recorded = new Map();
        return statements;
      },
      // Runs the cleanup task that erases accounts.
      erase: () => database.transaction((tx) => cleanup.tasks.get('account')(tx, 50)),
    };
    process.on('message', async ({ id, ask }) => {
      if (!ask) return;
      try {
        process.send({ id, answer: await asked[ask]() });
      } catch (error) {
        process.send({ id, error: String(error?.stack ?? error) });
      }
    });
    process.channel.unref();
    for (const kind of (process.env.LEAK ?? '').split(',').filter(Boolean))
      setInterval(LEAKS[kind], 1000 / LEAKS_PER_SECOND);
  }
}
Injectable()(Watch);
Reflect.defineMetadata('design:paramtypes', [Database, Cleanup], Watch);

class WatchModule {}
Module({ providers: [Watch] })(WatchModule);

await start(extension({ modules: [WatchModule] }));
