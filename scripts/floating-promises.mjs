/**
 * Finds promises in src/ that are not awaited and whose rejection is not handled, because a rejection would end the
 * process. `void` does not handle a rejection. Allowed: a statement that ends with `.catch(handler)` or
 * `.then(done, failed)`.
 *
 *   node scripts/floating-promises.mjs [file...]    the files, or all of src/
 */
import { join, relative, resolve } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { default: ts } = await import('typescript');

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const given = process.argv.slice(2).map((name) => resolve(name));
const files = given.length > 0 ? given : fileNames.filter((name) => name.startsWith(SRC) && !name.endsWith('.spec.ts'));
const program = ts.createProgram(files, { ...options, noEmit: true, incremental: false, composite: false });
const checker = program.getTypeChecker();

const isPromise = (type) =>
  type.isUnion()
    ? type.types.some(isPromise)
    : (type.flags & ts.TypeFlags.Object) !== 0 && type.getProperty('then') !== undefined;

/** True for `a.catch(b)` and `a.then(b, c)`, which handle the rejection. */
function isHandled(expression) {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const { name } = expression.expression;
  return (
    (name.text === 'catch' && expression.arguments.length === 1) ||
    (name.text === 'then' && expression.arguments.length === 2)
  );
}

/** A promise that is stored in a variable or a member is awaited by the code that reads it. */
const isKept = (node) =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;

const isFloating = (expression) =>
  !isKept(expression) && isPromise(checker.getTypeAtLocation(expression)) && !isHandled(expression);

/** True for a function that returns a promise if its caller expects no return value and therefore does not await it. */
function isMisused(node) {
  const [own] = checker.getTypeAtLocation(node).getCallSignatures();
  const wanted = checker.getContextualType(node)?.getNonNullableType().getCallSignatures() ?? [];
  if (!own || wanted.length === 0 || !isPromise(own.getReturnType())) return false;
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body) && isHandled(node.body)) return false;
  return wanted.every((signature) => (signature.getReturnType().flags & ts.TypeFlags.Void) !== 0);
}

const found = [];
const report = (node, what) => {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  found.push(`${relative(ROOT, file.fileName)}:${line + 1} ${what}`);
};

function visit(node) {
  if (ts.isExpressionStatement(node) && !ts.isVoidExpression(node.expression) && isFloating(node.expression))
    report(node, 'a promise floats');
  if (ts.isVoidExpression(node) && isFloating(node.expression)) report(node, 'a promise floats behind void');
  const isFunction = ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  const isValue = ts.isIdentifier(node) || ts.isPropertyAccessExpression(node);
  const { parent } = node;
  const isGiven =
    parent &&
    ((ts.isCallExpression(parent) && parent.arguments.includes(node)) ||
      (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
      (ts.isBinaryExpression(parent) &&
        parent.right === node &&
        parent.operatorToken.kind === ts.SyntaxKind.EqualsToken));
  if (isGiven && (isFunction || isValue) && isMisused(node))
    report(node, 'nothing awaits the promise of this function');
  ts.forEachChild(node, visit);
}

for (const name of files) {
  const file = program.getSourceFile(name);
  if (file) visit(file);
}
for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} promises without a handler. Await them, or end them with .catch(handler).`);
  process.exit(1);
}
