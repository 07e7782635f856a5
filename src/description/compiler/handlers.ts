import { basename, dirname } from 'node:path';
import type ts from 'typescript';
import type {
  ApiMetadata,
  CommandMetadata,
  ControllerMetadata,
  HandlerMetadata,
  PayloadMetadata,
  Schema,
  ThrownCodes,
} from '../api-metadata.js';
import { CallGraph, declarationKey, isErrorsFile } from './calls.js';
import { ReturnTypeCheck } from './returns.js';
import { Schemas, type TypeScript, unionOf } from './schemas.js';

const METHODS: ReadonlySet<string> = new Set(['Get', 'Post', 'Put', 'Patch', 'Delete']);
const COMMAND = 'SubscribeMessage';
const GUARDS: Readonly<Record<string, string>> = { Guard: 'check', ArrivalGuard: 'arrive' };

/** The files that declare the gateway payloads, as source or as declaration. */
const PAYLOADS = /\/(?:core\/merged|gateway\/protocol\/event-types)(?:\.d)?\.ts$/;
type Payloads = 'events' | 'outgoingEvents' | 'client' | 'server';

const FEATURES = 'Features';
const PARTS: Readonly<Record<string, Payloads>> = { ClientPayloads: 'client', ServerPayloads: 'server' };

const sorted = <T extends string>(names: Iterable<T>): T[] => [...names].sort();

/** The order of the source files in the program changes with imports, so it must not determine the output. */
const sortByName = <T>(found: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(sorted(Object.keys(found)).map((name) => [name, found[name] as T]));

/** Reads the controllers of a program. */
export class ControllerReader {
  private readonly checker: ts.TypeChecker;
  private readonly schemas: Schemas;
  private readonly calls: CallGraph;
  private readonly returns: ReturnTypeCheck;
  private readonly sources: readonly ts.SourceFile[];
  private readonly all: readonly ts.SourceFile[];

  constructor(
    private readonly ts: TypeScript,
    private readonly program: ts.Program,
    private readonly root: string,
    packages: ReadonlyMap<string, Readonly<Record<string, ThrownCodes>>>,
  ) {
    this.checker = program.getTypeChecker();
    this.all = program.getSourceFiles();
    this.sources = this.all.filter(
      (source) => !source.isDeclarationFile && !program.isSourceFileFromExternalLibrary(source),
    );
    this.schemas = new Schemas(ts, this.checker);
    this.returns = new ReturnTypeCheck(ts, this.checker);
    this.calls = new CallGraph(ts, this.checker, this.sources, packages);
  }

  /** @throws Error with every handler whose response cannot be described */
  describe(entry?: string): ApiMetadata {
    const controllers: Record<string, ControllerMetadata> = {};
    const commands: Record<string, Record<string, CommandMetadata>> = {};
    const guards: Record<string, string[]> = {};
    const tags: Record<string, string> = {};
    const faults: string[] = [];
    const modules = this.modules();
    for (const node of this.classes()) {
      const name = node.name?.text ?? '';
      const guard = this.guardMethodOf(node);
      if (guard) guards[name] = sorted(this.calls.collectFrom(guard).codes);
      if (this.decorator(node, 'GatewayCommands')) commands[name] = this.commandsOf(node);
      if (!this.decorator(node, 'Controller')) continue;
      if (controllers[name]) faults.push(`Two controllers have the name ${name}. Rename one`);
      let folder = dirname(node.getSourceFile().fileName);
      while (!modules.has(folder) && folder !== dirname(folder)) folder = dirname(folder);
      const tag = basename(modules.has(folder) ? folder : dirname(node.getSourceFile().fileName));
      tags[tag] = modules.get(folder) ?? '';
      controllers[name] = { tag, handlers: this.handlersOf(node, faults) };
    }
    if (faults.length > 0) throw new Error(`Describing the controllers failed:\n  ${faults.join('\n  ')}`);
    const extras = this.errorExtras();
    const calls = entry ? this.exported(entry) : {};
    const { outgoingEvents, ...payloads } = this.payloads();
    const gateway = { ...payloads, commands: sortByName(commands) };
    const lists = { controllers: sortByName(controllers), tags: sortByName(tags), guards: sortByName(guards), calls };
    return { schemas: sortByName(this.schemas.named), extras, ...lists, gateway, outgoingEvents };
  }

  /** The docstrings of modules, by folder. In a folder with several modules, the one named like the folder counts. */
  private modules(): Map<string, string> {
    const found = new Map<string, string>();
    for (const node of this.classes()) {
      const { fileName } = node.getSourceFile();
      const folder = dirname(fileName);
      const isNamesake = basename(fileName).startsWith(`${basename(folder)}.`);
      if (this.decorator(node, 'Module') && (isNamesake || !found.has(folder))) found.set(folder, this.docTextOf(node));
    }
    return found;
  }

  private *classes(): Generator<ts.ClassDeclaration> {
    for (const source of this.sources) {
      for (const statement of source.statements) if (this.ts.isClassDeclaration(statement)) yield statement;
    }
  }

  private handlersOf(node: ts.ClassDeclaration, faults: string[]): Record<string, HandlerMetadata> {
    const handlers: Record<string, HandlerMetadata> = {};
    for (const member of this.checker.getPropertiesOfType(this.checker.getTypeAtLocation(node))) {
      const method = member.declarations?.find(this.ts.isMethodDeclaration);
      if (!method || !this.decoratorsOf(method).some(({ name }) => METHODS.has(name))) continue;
      faults.push(...this.returns.findLosses(method));
      try {
        handlers[member.name] = this.handler(method);
      } catch (error) {
        faults.push(`${node.name?.text}.${member.name}: ${(error as Error).message}`);
      }
    }
    return handlers;
  }

  private commandsOf(node: ts.ClassDeclaration): Record<string, CommandMetadata> {
    const handlers = node.members
      .filter(this.ts.isMethodDeclaration)
      .filter((method) => this.decorator(method, COMMAND));
    return Object.fromEntries(
      handlers.map((method) => {
        const [summary = ''] = splitSummary(this.docTextOf(method));
        return [method.name.getText(), { summary, codes: sorted(this.calls.collectFrom(method).codes) }];
      }),
    );
  }

  private handler(method: ts.MethodDeclaration): HandlerMetadata {
    const { TypeFlags } = this.ts;
    const signature = this.checker.getSignatureFromDeclaration(method);
    const returned = signature && this.checker.getReturnTypeOfSignature(signature);
    const type = returned && (this.checker.getAwaitedType(returned) ?? returned);
    const parts = type ? (type.isUnion() ? type.types : [type]) : [];
    const isNothing = ({ flags }: ts.Type) =>
      flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.ESSymbolLike | TypeFlags.Never);
    const isText = ({ flags }: ts.Type) => flags & (TypeFlags.String | TypeFlags.StringLiteral);
    const response = parts.some((part) => !isNothing(part) && !isText(part)) ? this.answer(parts, type) : undefined;
    const [summary, description] = splitSummary(this.docTextOf(method));
    const { codes, fieldCodes, headers, events } = this.calls.collectFrom(method);
    return {
      summary,
      ...(description ? { description } : {}),
      ...(response ? { answer: response } : {}),
      answersItself: parts.some(({ flags }) => flags & TypeFlags.ESSymbolLike),
      codes: sorted(codes),
      fieldCodes: sorted(fieldCodes),
      headers: sorted(headers),
      events: sorted(events),
    };
  }

  private answer(parts: readonly ts.Type[], type: ts.Type | undefined): Schema | undefined {
    const kept = parts.filter(({ flags }) => !(flags & this.ts.TypeFlags.ESSymbolLike));
    if (kept.length === parts.length && type) return this.schemas.of(type);
    return unionOf(kept.map((part) => this.schemas.of(part)));
  }

  private guardMethodOf(node: ts.ClassDeclaration): ts.Node | undefined {
    for (const { types } of node.heritageClauses ?? []) {
      for (const { expression } of types) {
        const wanted = GUARDS[expression.getText()];
        const found = node.members.find((member) => wanted !== undefined && member.name?.getText() === wanted);
        if (found) return found;
      }
    }
    return undefined;
  }

  /**
   * The members of each error body from the interface `ErrorExtras`, including those that other modules merge into it.
   */
  private errorExtras(): Record<string, Schema> {
    const source = this.program.getSourceFiles().find(({ fileName }) => isErrorsFile(fileName));
    const declared = source?.statements.find(
      (node) => this.ts.isInterfaceDeclaration(node) && node.name.text === 'ErrorExtras',
    );
    if (!declared) return {};
    const type = this.checker.getTypeAtLocation(declared);
    return Object.fromEntries(
      type.getProperties().map((member) => [member.name, this.schemas.of(this.checker.getTypeOfSymbol(member))]),
    );
  }

  /** The payloads of the gateway and its clients, and the events that the features of this program declare. */
  private payloads(): Record<Payloads, Record<string, PayloadMetadata>> {
    const described: Record<Payloads, Record<string, PayloadMetadata>> = {
      ...{ events: {}, outgoingEvents: {} },
      ...{ client: {}, server: {} },
    };
    const describe = (part: Payloads, members: readonly ts.Symbol[]): void => {
      for (const member of members) {
        const isOwn = member.declarations?.some((declaration) => this.sources.includes(declaration.getSourceFile()));
        if (isOwn) described[part][member.name] = this.payload(member);
      }
    };
    const sources = this.all.filter(({ fileName }) => PAYLOADS.test(fileName));
    for (const node of sources.flatMap(({ statements }) => statements)) {
      if (!this.ts.isInterfaceDeclaration(node)) continue;
      const members = this.checker.getTypeAtLocation(node).getProperties();
      const part = PARTS[node.name.text];
      if (part) describe(part, members);
      if (node.name.text !== FEATURES) continue;
      for (const feature of members) {
        describe('events', this.declaredBy(feature, 'events'));
        describe('outgoingEvents', this.declaredBy(feature, 'outgoingEvents'));
      }
    }
    return described;
  }

  private payload(member: ts.Symbol): PayloadMetadata {
    const type = this.checker.getTypeOfSymbol(member);
    const isNothing = (type.flags & this.ts.TypeFlags.Undefined) !== 0;
    const comment = member.getDocumentationComment(this.checker);
    const summary = this.ts.displayPartsToString(comment).replaceAll('\n', ' ').trim();
    return { summary, ...(isNothing ? {} : { schema: this.schemas.of(type) }) };
  }

  /** The members of one part in the type of a feature. */
  private declaredBy(feature: ts.Symbol, part: 'events' | 'outgoingEvents'): ts.Symbol[] {
    const names = this.memberType(this.checker.getTypeOfSymbol(feature), 'names');
    return [...(this.memberType(names, part)?.getProperties() ?? [])];
  }

  private memberType(type: ts.Type | undefined, name: string): ts.Type | undefined {
    const member = type && this.checker.getPropertyOfType(type, name);
    return member && this.checker.getNonNullableType(this.checker.getTypeOfSymbol(member));
  }

  /** What the exported functions and methods of the package can throw. */
  private exported(entry: string): Record<string, ThrownCodes> {
    const source = this.sources.find(({ fileName }) => fileName === entry);
    const symbol = source && this.checker.getSymbolAtLocation(source);
    const calls: Record<string, ThrownCodes> = {};
    for (const exported of symbol ? this.checker.getExportsOfModule(symbol) : []) {
      const { Alias } = this.ts.SymbolFlags;
      const target = exported.flags & Alias ? this.checker.getAliasedSymbol(exported) : exported;
      for (const declaration of target.declarations ?? []) {
        const parts = this.ts.isClassDeclaration(declaration)
          ? declaration.members.filter(this.ts.isMethodDeclaration)
          : [declaration];
        for (const part of parts) {
          const { codes, fieldCodes, events } = this.calls.collectFrom(part);
          if (codes.size + fieldCodes.size + events.size === 0) continue;
          calls[declarationKey(part, this.root, this.ts)] = {
            codes: sorted(codes),
            fieldCodes: sorted(fieldCodes),
            events: sorted(events),
          };
        }
      }
    }
    return calls;
  }

  private decoratorsOf(node: ts.Node): { name: string }[] {
    const { ts } = this;
    const decorators = ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : [];
    return decorators.map(({ expression }) => ({
      name: (ts.isCallExpression(expression) ? expression.expression : expression).getText(),
    }));
  }

  private decorator(node: ts.Node, wanted: string): boolean {
    return this.decoratorsOf(node).some(({ name }) => name === wanted);
  }

  private docTextOf(node: ts.NamedDeclaration): string {
    const symbol = node.name && this.checker.getSymbolAtLocation(node.name);
    const parts = symbol?.getDocumentationComment(this.checker);
    return this.ts.displayPartsToString(parts).replaceAll('\n', ' ').trim();
  }
}

/** Splits a text into its first sentence, without the full stop, and the rest. */
function splitSummary(text: string): [string, string] {
  const end = text.indexOf('. ');
  const first = end < 0 ? text : text.slice(0, end + 1);
  return [first.endsWith('.') ? first.slice(0, -1) : first, end < 0 ? '' : text.slice(end + 2).trim()];
}
