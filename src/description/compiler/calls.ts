import { join, relative } from 'node:path';
import type ts from 'typescript';
import type { LifecycleType } from '../../policy/lifecycle.js';
import type { ThrownCodes } from '../api-metadata.js';
import type { TypeScript } from './schemas.js';

/** What a piece of code can throw and which headers it reads. */
interface Facts {
  readonly codes: Set<string>;
  readonly fieldCodes: Set<string>;
  readonly headers: Set<string>;
  /** Lifecycle events that it can cause. */
  readonly events: Set<LifecycleType>;
  /** Code that this code refers to and may therefore call. */
  readonly leadsTo: Set<ts.Node>;
}

const emptyFacts = (): Facts => ({
  codes: new Set(),
  fieldCodes: new Set(),
  headers: new Set(),
  events: new Set(),
  leadsTo: new Set(),
});

/** A union of more codes than this is a code that the caller passes in. */
const MAX_CODE_CHOICES = 12;

/** Follows calls through a program and collects the errors that they can throw. */
export class CallGraph {
  private readonly factsByNode = new Map<ts.Node, Facts>();
  private readonly subclasses = new Map<ts.Symbol, ts.ClassDeclaration[]>();

  constructor(
    private readonly ts: TypeScript,
    private readonly checker: ts.TypeChecker,
    sources: readonly ts.SourceFile[],
    private readonly packages: ReadonlyMap<string, Readonly<Record<string, ThrownCodes>>>,
  ) {
    for (const source of sources) ts.forEachChild(source, (node) => this.enterClass(node));
  }

  /** Collects the facts of all code that is reachable from a node. */
  collectFrom(root: ts.Node): Omit<Facts, 'leadsTo'> {
    const found = emptyFacts();
    const seen = new Set<ts.Node>();
    const waiting = [root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      const facts = this.factsOf(node);
      for (const code of facts.codes) found.codes.add(code);
      for (const code of facts.fieldCodes) found.fieldCodes.add(code);
      for (const header of facts.headers) found.headers.add(header);
      for (const event of facts.events) found.events.add(event);
      waiting.push(...facts.leadsTo);
    }
    return found;
  }

  private enterClass(node: ts.Node): void {
    if (!this.ts.isClassDeclaration(node)) return;
    for (const { types } of node.heritageClauses ?? []) {
      for (const { expression } of types) {
        const above = this.symbolAt(expression);
        if (above) this.subclasses.set(above, [...(this.subclasses.get(above) ?? []), node]);
      }
    }
  }

  private factsOf(node: ts.Node): Facts {
    const known = this.factsByNode.get(node);
    if (known) return known;
    const facts = emptyFacts();
    this.factsByNode.set(node, facts);
    this.scan(node, facts, node);
    return facts;
  }

  private scan(node: ts.Node, facts: Facts, root: ts.Node): void {
    const { ts } = this;
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isNewExpression(node) && this.isErrorFunction(node.expression, 'ApiError')) {
      this.addCodes(facts.codes, node.arguments?.[0]);
    }
    if (ts.isCallExpression(node) && this.scanErrorCall(node, facts)) {
      for (const argument of node.arguments) this.scan(argument, facts, root);
      return;
    }
    this.scanHeader(node, facts);
    if (ts.isStringLiteral(node) && ts.isCallExpression(node.parent)) {
      if (node.parent.expression.getText().endsWith('lifecycle.emit')) facts.events.add(node.text as LifecycleType);
    }
    if (ts.isIdentifier(node) && node !== root) this.follow(node, facts);
    ts.forEachChild(node, (child) => this.scan(child, facts, root));
  }

  /** Handles calls of the functions that create errors from their arguments. */
  private scanErrorCall(call: ts.CallExpression, facts: Facts): boolean {
    const [first, second] = call.arguments;
    if (this.isErrorFunction(call.expression, 'oauthError')) {
      this.addCodes(facts.codes, first, (code) => code.toUpperCase());
      return true;
    }
    const isInvalid = this.isErrorFunction(call.expression, 'validationError');
    if (!isInvalid && !this.isErrorFunction(call.expression, 'fieldError')) return false;
    if (isInvalid) facts.codes.add('INVALID_FORM_BODY');
    this.addCodes(facts.fieldCodes, second);
    return true;
  }

  private addCodes(
    into: Set<string>,
    argument: ts.Expression | undefined,
    spell = (code: string): string => code,
  ): void {
    if (!argument) return;
    const type = this.checker.getTypeAtLocation(argument);
    const choices = type.isUnion() ? type.types : [type];
    if (choices.length > MAX_CODE_CHOICES) return;
    for (const choice of choices) if (choice.isStringLiteral()) into.add(spell(choice.value));
  }

  /** Matches `headers.origin` and `headers['if-none-match']`, whatever the name of the request. */
  private scanHeader(node: ts.Node, facts: Facts): void {
    const { ts } = this;
    const isElement = ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression);
    if (!isElement && !ts.isPropertyAccessExpression(node)) return;
    const symbol = this.checker.getTypeAtLocation(node.expression).getSymbol();
    if (symbol?.name !== 'IncomingHttpHeaders') return;
    const name = ts.isPropertyAccessExpression(node) ? node.name : (node.argumentExpression as ts.StringLiteral);
    facts.headers.add(name.text);
  }

  private follow(name: ts.Identifier, facts: Facts): void {
    const symbol = this.symbolAt(name);
    for (const declaration of symbol?.declarations ?? []) {
      if (declaration.getSourceFile().isDeclarationFile) this.followPackage(declaration, facts);
      else for (const code of this.bodiesOf(declaration)) facts.leadsTo.add(code);
    }
  }

  private bodiesOf(declaration: ts.Declaration): ts.Node[] {
    const { ts } = this;
    if (ts.isMethodSignature(declaration) || ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration)) {
      const own = 'body' in declaration && declaration.body ? [declaration] : [];
      return [...own, ...this.overrides(declaration)];
    }
    if (ts.isFunctionDeclaration(declaration)) return [declaration];
    if (ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration)) {
      return declaration.initializer ? [declaration.initializer] : [];
    }
    if (ts.isPropertyDeclaration(declaration)) {
      const { initializer } = declaration;
      return initializer && ts.isArrowFunction(initializer) ? [initializer] : [];
    }
    if (ts.isClassDeclaration(declaration)) return declaration.members.filter(ts.isConstructorDeclaration);
    return [];
  }

  /** Implementations of a method in subclasses. */
  private overrides({ parent, name }: ts.MethodSignature | ts.MethodDeclaration | ts.AccessorDeclaration): ts.Node[] {
    const { ts } = this;
    if (!(ts.isClassDeclaration(parent) || ts.isInterfaceDeclaration(parent)) || !parent.name) return [];
    const above = this.checker.getSymbolAtLocation(parent.name);
    return (above ? (this.subclasses.get(above) ?? []) : []).flatMap(({ members }) =>
      members.filter(
        (member) =>
          (ts.isMethodDeclaration(member) || ts.isAccessor(member)) && member.name.getText() === name.getText(),
      ),
    );
  }

  private followPackage(declaration: ts.Declaration, facts: Facts): void {
    const file = declaration.getSourceFile().fileName;
    for (const [folder, calls] of this.packages) {
      if (!file.startsWith(`${folder}/`)) continue;
      const thrown = calls[declarationKey(declaration, folder, this.ts)];
      for (const code of thrown?.codes ?? []) facts.codes.add(code);
      for (const code of thrown?.fieldCodes ?? []) facts.fieldCodes.add(code);
      for (const event of thrown?.events ?? []) facts.events.add(event);
    }
  }

  private isErrorFunction(expression: ts.Expression, name: string): boolean {
    if (!this.ts.isIdentifier(expression) || expression.text !== name) return false;
    const [declaration] = this.symbolAt(expression)?.declarations ?? [];
    const fileName = declaration?.getSourceFile().fileName ?? '';
    return isErrorsFile(fileName) || isModule(fileName, 'oauth/tokens/oauth-errors');
  }

  private symbolAt(node: ts.Node): ts.Symbol | undefined {
    const { SymbolFlags, isShorthandPropertyAssignment } = this.ts;
    const symbol = isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** Whether a file is the one that defines the errors, as source or as declaration. */
export const isErrorsFile = (fileName: string): boolean => isModule(fileName, 'core/errors');

/** Whether a file is a module of `src`, as source or as declaration. */
const isModule = (fileName: string, name: string): boolean =>
  fileName.endsWith(`/${name}.ts`) || fileName.endsWith(`/${name}.d.ts`);

/** The key of a function or method across packages: its file and name, for source and declaration alike. */
export function declarationKey(declaration: ts.Declaration, root: string, typescript: TypeScript): string {
  const { fileName } = declaration.getSourceFile();
  const built = join(root, 'dist');
  const file = relative(fileName.startsWith(`${built}/`) ? built : root, fileName);
  const path = file.endsWith('.d.ts') ? file.slice(0, -5) : file.slice(0, -3);
  const { parent } = declaration;
  const owner = parent && typescript.isClassDeclaration(parent) ? `${parent.name?.text}.` : '';
  const { name } = declaration as ts.NamedDeclaration;
  return `${path}#${owner}${name?.getText() ?? ''}`;
}
