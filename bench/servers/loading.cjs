/** Loaded before a service: reports on demand the loaded modules, and the CPU time of each without those that it loads. */
const Module = require('node:module');
const { pathToFileURL } = require('node:url');

const milliseconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const running = [];
const taken = new Map();

const loading = {
  enter(file) {
    const now = milliseconds();
    const outer = running.at(-1);
    if (outer) outer.own += now - outer.since;
    running.push({ file, own: 0, since: now });
  },
  leave() {
    const now = milliseconds();
    const { file, own, since } = running.pop();
    taken.set(file, (taken.get(file) ?? 0) + own + now - since);
    const outer = running.at(-1);
    if (outer) outer.since = now;
  },
};
globalThis[Symbol.for('gatehouse.bench.loading')] = loading;

for (const kind of ['.js', '.json', '.node']) {
  const load = Module._extensions[kind];
  Module._extensions[kind] = (module, file) => {
    loading.enter(pathToFileURL(file).href);
    try {
      return load(module, file);
    } finally {
      loading.leave();
    }
  };
}
Module.register('./loading-hooks.mjs', pathToFileURL(__filename));
process.on('message', (ask) => {
  if (ask === 'loaded') process.send([...taken]);
});
// Nothing waits for the question.
process.channel?.unref();
