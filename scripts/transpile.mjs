/**
 * Transpiles TypeScript without checking types. The build and the tests use the same options, so the tests run the code
 * that is shipped.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { transform } from '@swc/core';

/** The options of tsconfig.build.json that change the output. */
export const OPTIONS = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};

/** Transpiles one file. Writes a source map next to it, unless `sourceMaps` is false. */
export async function transpile(from, to, sourceMaps = true) {
  const { code, map } = await transform(readFileSync(from, 'utf8'), {
    ...OPTIONS,
    ...{ filename: from, sourceMaps, sourceFileName: relative(dirname(to), from), inlineSourcesContent: false },
    swcrc: false,
  });
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, map === undefined ? code : `${code}//# sourceMappingURL=${basename(to)}.map\n`);
  if (map !== undefined) writeFileSync(`${to}.map`, map);
}
