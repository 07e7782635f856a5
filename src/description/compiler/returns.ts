import type ts from 'typescript';
import type { TypeScript } from './schemas.js';

/**
 * Finds result members that type inference loses. If a function returns two object types and one has extra members,
 * inference can drop the extra members unless the function declares its return type.
 */
export class ReturnTypeCheck {
  private readonly seen = new Set<ts.Node>();

  constructor(
    private readonly ts: TypeScript,
    private readonly checker: ts.TypeChecker,
  ) {}

  /** Describes the members that are lost in a function and in the functions whose results it returns. */
  findLosses(fn: ts.Node): string[] {
    if (this.seen.has(fn) || !this.ts.isFunctionLike(fn) || fn.getSourceFile().isDeclarationFile) return [];
    this.seen.add(fn);
    const results = this.resultsOf(fn);
    return [...(fn.type ? [] : this.lossesAt(fn, results)), ...results.flatMap((result) => this.lossesBehind(result))];
  }

  private lossesAt(fn: ts.SignatureDeclaration, results: readonly ts.Expression[]): string[] {
    const signature = this.checker.getSignatureFromDeclaration(fn);
    if (!signature) return [];
    const kept = this.membersOf(this.checker.getReturnTypeOfSignature(signature));
    const lost = results.flatMap((result) =>
      [...this.membersOf(this.checker.getTypeAtLocation(result))].filter((name) => !kept.has(name)),
    );
    if (lost.length === 0) return [];
    const { line } = this.ts.getLineAndCharacterOfPosition(fn.getSourceFile(), fn.getStart());
    const where = `${fn.getSourceFile().fileName}:${line + 1}`;
    return [
      `${where} returns ${[...new Set(lost)].join(', ')} in addition to the members of its inferred type. Declare its return type`,
    ];
  }

  /** The members of all alternatives of a type. */
  private membersOf(type: ts.Type): Set<string> {
    const awaited = this.checker.getAwaitedType(type) ?? type;
    const parts = awaited.isUnion() ? awaited.types : [awaited];
    const objects = parts.filter(
      (part) => part.flags & this.ts.TypeFlags.Object && !this.checker.isArrayLikeType(part),
    );
    return new Set(objects.flatMap((part) => this.checker.getPropertiesOfType(part).map(({ name }) => name)));
  }

  /** The returned expressions of a function, with alternatives separated. */
  private resultsOf(fn: ts.SignatureDeclaration): ts.Expression[] {
    const { ts } = this;
    const body = (fn as ts.FunctionLikeDeclaration).body;
    if (!body) return [];
    if (!ts.isBlock(body)) return this.alternativesOf(body);
    const found: ts.Expression[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) return;
      if (ts.isReturnStatement(node) && node.expression) found.push(...this.alternativesOf(node.expression));
      else ts.forEachChild(node, visit);
    };
    ts.forEachChild(body, visit);
    return found;
  }

  private alternativesOf(expression: ts.Expression): ts.Expression[] {
    const { ts } = this;
    if (ts.isParenthesizedExpression(expression) || ts.isAwaitExpression(expression)) {
      return this.alternativesOf(expression.expression);
    }
    if (!ts.isConditionalExpression(expression)) return [expression];
    return [...this.alternativesOf(expression.whenTrue), ...this.alternativesOf(expression.whenFalse)];
  }

  /** Losses of the called function and of the functions passed to it. */
  private lossesBehind(result: ts.Expression): string[] {
    if (!this.ts.isCallExpression(result)) return [];
    const called = this.checker.getResolvedSignature(result)?.declaration;
    return [...(called ? this.findLosses(called) : []), ...result.arguments.flatMap((given) => this.findLosses(given))];
  }
}
