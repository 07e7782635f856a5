/** Module hooks: each ES module tells when its evaluation begins and ends. Those that wait in it (the entries) do not. */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || loaded.source === null || url.endsWith('/main.js')) return loaded;
  const source = String(Buffer.from(loaded.source));
  if (source.startsWith('#!')) return loaded;
  const tell = `globalThis[Symbol.for('gatehouse.bench.loading')]`;
  return { ...loaded, source: `${tell}.enter(${JSON.stringify(url)});${source}\n;${tell}.leave();` };
}
