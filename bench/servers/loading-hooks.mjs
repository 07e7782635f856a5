/**
 * Module hooks that report when the evaluation of each ES module begins and ends. Entry modules are left out, because
 * they wait during their evaluation.
 */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || loaded.source === null || url.endsWith('/main.js')) return loaded;
  const source = String(Buffer.from(loaded.source));
  if (source.startsWith('#!')) return loaded;
  const tell = `globalThis[Symbol.for('gatehouse.bench.loading')]`;
  return { ...loaded, source: `${tell}.enter(${JSON.stringify(url)});${source}\n;${tell}.leave();` };
}
