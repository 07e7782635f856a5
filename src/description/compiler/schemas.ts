import { basename } from 'node:path';
import type ts from 'typescript';
import type { Schema } from '../api-metadata.js';

export type TypeScript = typeof ts;

const REF = '#/components/schemas/';

/** A reference to the schema of a named type. */
export const refTo = (name: string): Schema => ({ $ref: `${REF}${name}` });

/** Built-in types that JSON represents in a special way. */
const WRITTEN: Readonly<Record<string, Schema>> = {
  Date: { type: 'string', format: 'date-time' },
  URL: { type: 'string', format: 'uri' },
};

/** Types of bytes. JSON would contain one number for each byte. */
const BYTES: ReadonlySet<string> = new Set(['Buffer', 'ArrayBuffer', 'Uint8Array']);

/** Stored forms of secrets, which no response may contain, such as passwordHash. */
const STORED_SECRET =
  /^(?:hashed_?)?password(?:_?(?:hash|digest|salt))?$|^(?:secret|token|key|code)_?(?:hash|digest)$|^(?:totp|mfa)_?secret$|^private_?key$/i;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Converts types to JSON Schemas. Named types become components. */
export class Schemas {
  readonly named: Record<string, Schema> = {};
  private readonly names = new Map<ts.Type, string>();

  constructor(
    private readonly ts: TypeScript,
    private readonly checker: ts.TypeChecker,
  ) {}

  /** @throws Error if the type has no JSON representation */
  of(type: ts.Type): Schema {
    const { TypeFlags } = this.ts;
    if (type.flags & TypeFlags.Any) throw new Error('The return type is `any`. Declare its type');
    if (type.flags & TypeFlags.Unknown) return {};
    if (type.flags & TypeFlags.Never) return { not: {} };
    if (type.flags & TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & (TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping))
      return { type: 'string' };
    if (type.flags & TypeFlags.Number) return { type: 'number' };
    if (type.flags & TypeFlags.Boolean) return { type: 'boolean' };
    if (type.isUnion()) return this.ofUnion(type);
    if (type.flags & TypeFlags.TypeParameter) return this.of(this.checker.getBaseConstraintOfType(type) ?? type);
    if (type.isIntersection()) {
      const primitive = type.types.find(
        ({ flags }) => flags & (TypeFlags.String | TypeFlags.Number | TypeFlags.Boolean),
      );
      return primitive ? this.of(primitive) : this.ofNamed(type);
    }
    if (type.flags & (TypeFlags.Object | TypeFlags.NonPrimitive)) return this.ofNamed(type);
    throw new Error(`${this.checker.typeToString(type)} cannot be JSON. Return another type`);
  }

  private ofUnion(type: ts.UnionType): Schema {
    const { TypeFlags } = this.ts;
    const name = this.nameOf(type);
    if (name) return this.component(type, name, () => this.ofMembers(type.types));
    return this.ofMembers(type.types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void))));
  }

  private ofMembers(types: readonly ts.Type[]): Schema {
    const { TypeFlags } = this.ts;
    const known = types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void)));
    const isBoolean = known.filter(({ flags }) => flags & TypeFlags.BooleanLiteral).length === 2;
    const rest = known.filter(({ flags }) => !(isBoolean && flags & TypeFlags.BooleanLiteral));
    const literals = rest.filter((member) => member.isStringLiteral() || member.isNumberLiteral());
    const others = rest.filter((member) => !literals.includes(member as ts.StringLiteralType));
    return unionOf([
      ...(literals.length > 1
        ? [enumOf(literals.map((literal) => (literal as ts.StringLiteralType | ts.NumberLiteralType).value))]
        : literals.map((literal) => this.of(literal))),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...others.map((member) => this.of(member)),
    ]);
  }

  private ofNamed(type: ts.Type): Schema {
    const name = type.getSymbol()?.name ?? '';
    const written = WRITTEN[name];
    if (written) return written;
    if (BYTES.has(name)) throw new Error(`${name} cannot be JSON. Return it as text, such as Base64`);
    const list = this.ofList(type);
    if (list) return list;
    const toJson = type.getProperty('toJSON');
    const how = toJson && this.checker.getTypeOfSymbol(toJson).getCallSignatures()[0];
    if (how) return this.of(how.getReturnType());
    const alias = this.nameOf(type);
    return alias ? this.component(type, alias, () => this.ofMembersOf(type)) : this.ofMembersOf(type);
  }

  private ofList(type: ts.Type): Schema | undefined {
    if (this.checker.isTupleType(type)) {
      const { target } = type as ts.TupleTypeReference;
      const parts = this.checker.getTypeArguments(type as ts.TypeReference);
      if (target.combinedFlags & this.ts.ElementFlags.Variable) {
        return { type: 'array', items: unionOf(parts.map((part) => this.of(part))) };
      }
      return {
        type: 'array',
        prefixItems: parts.map((part) => this.of(part)),
        minItems: target.minLength,
        maxItems: parts.length,
      };
    }
    if (!this.checker.isArrayType(type)) return undefined;
    const [element] = this.checker.getTypeArguments(type as ts.TypeReference);
    if (!element || element.flags & this.ts.TypeFlags.Never) return { type: 'array', items: {}, maxItems: 0 };
    return { type: 'array', items: this.of(element) };
  }

  private ofMembersOf(type: ts.Type): Schema {
    const { TypeFlags, SymbolFlags } = this.ts;
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const member of this.inOrder(type)) {
      const { name } = member;
      const ofMember = this.checker.getTypeOfSymbol(member);
      const isLeftOut =
        name.startsWith('__@') ||
        ofMember.flags & (TypeFlags.Undefined | TypeFlags.ESSymbolLike) ||
        (ofMember.getCallSignatures().length > 0 && !ofMember.isUnion());
      if (isLeftOut) continue;
      if (STORED_SECRET.test(name))
        throw new Error(`${name}: a response must not contain a stored secret. Return an object without it`);
      const description = this.docTextOf(member);
      const schema = this.ofMember(name, ofMember);
      properties[name] = description ? { ...schema, description } : schema;
      const parts = ofMember.isUnion() ? ofMember.types : [ofMember];
      const mayBeAbsent = member.flags & SymbolFlags.Optional || parts.some(({ flags }) => flags & TypeFlags.Undefined);
      if (!mayBeAbsent) required.push(name);
    }
    const index = this.checker.getIndexInfoOfType(type, this.ts.IndexKind.String);
    const isOpen = Object.keys(properties).length === 0 && !index;
    return {
      type: 'object',
      ...(isOpen ? {} : { properties }),
      ...(required.length > 0 ? { required } : {}),
      ...(index ? { additionalProperties: this.of(index.type) } : {}),
    };
  }

  /**
   * Members in declaration order. Members of a mapped type are sorted, because the order of a union depends on the
   * compiler.
   */
  private inOrder(type: ts.Type): ts.Symbol[] {
    const { ObjectFlags, TypeFlags } = this.ts;
    const parts = type.isIntersection() ? type.types : [type];
    const isMapped = parts.some(
      (part) => part.flags & TypeFlags.Object && (part as ts.ObjectType).objectFlags & ObjectFlags.Mapped,
    );
    const members = this.checker.getPropertiesOfType(type);
    return isMapped ? members.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : members;
  }

  private ofMember(name: string, type: ts.Type): Schema {
    try {
      return this.of(type);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  }

  /** Registers a component before its members are read, because types can be recursive. */
  private component(type: ts.Type, wanted: string, make: () => Schema): Schema {
    const known = this.names.get(type);
    if (known) return refTo(known);
    this.names.set(type, wanted);
    const twin = this.named[wanted];
    this.named[wanted] ??= {};
    const schema = make();
    const description = this.docTextOf(type.aliasSymbol ?? type.getSymbol());
    const made = { ...(description ? { description } : {}), ...schema };
    if (twin && JSON.stringify(twin) !== JSON.stringify(made))
      throw new Error(`Another response type has the name ${wanted}. Rename one`);
    this.named[wanted] = made;
    return refTo(wanted);
  }

  /** The name of a type in the code: its alias, its declaration, or the view function that returns it. */
  private nameOf(type: ts.Type): string | undefined {
    const { aliasSymbol, aliasTypeArguments } = type;
    if (aliasSymbol) return aliasTypeArguments?.length ? undefined : this.ifExported(aliasSymbol);
    const symbol = type.getSymbol();
    const [declaration] = symbol?.declarations ?? [];
    if (!symbol || !declaration) return undefined;
    const { ts } = this;
    if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
      const isGeneric = this.checker.getTypeArguments(type as ts.TypeReference).length > 0;
      return isGeneric ? undefined : this.ifExported(symbol);
    }
    return ts.isObjectLiteralExpression(declaration) ? this.nameOfMaker(declaration) : undefined;
  }

  private ifExported(symbol: ts.Symbol): string | undefined {
    const [declaration] = symbol.declarations ?? [];
    const file = declaration?.getSourceFile();
    if (!file || basename(file.fileName).startsWith('lib.')) return undefined;
    return symbol.name;
  }

  /** `userView` returns a `UserView`. */
  private nameOfMaker(literal: ts.Node): string | undefined {
    const { ts } = this;
    let node = literal.parent;
    while (ts.isParenthesizedExpression(node)) node = node.parent;
    if (ts.isReturnStatement(node)) node = node.parent.parent;
    const isFunction = ts.isArrowFunction(node) || ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node);
    if (!isFunction) return undefined;
    const named = ts.isFunctionDeclaration(node) ? node : node.parent;
    const name = ts.isFunctionDeclaration(named) || ts.isVariableDeclaration(named) ? named.name : undefined;
    return name && ts.isIdentifier(name) && name.text.endsWith('View') ? upperFirst(name.text) : undefined;
  }

  private docTextOf(symbol: ts.Symbol | undefined): string {
    if (!symbol) return '';
    return this.ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll('\n', ' ').trim();
  }
}

/** Removes duplicates and sorts, because the order of a union depends on the compiler. */
function distinct(schemas: readonly Schema[]): Schema[] {
  const known = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, schema]) => schema);
}

function enumOf(values: readonly (string | number)[]): Schema {
  const kinds = [...new Set(values.map((value) => (typeof value === 'string' ? 'string' : 'number')))];
  const ordered = values.toSorted((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : a < b ? -1 : 1));
  return { type: kinds.length === 1 ? kinds[0] : kinds.sort(), enum: ordered };
}

/** Writes `string | null` as one type with `null`, and other unions as `anyOf`. */
export function unionOf(alternatives: readonly Schema[]): Schema {
  const schemas = distinct(alternatives);
  const [first, second] = schemas;
  if (!first) return { not: {} };
  if (!second) return first;
  const nullable = schemas.find((schema) => schema.type === 'null');
  const rest = schemas.filter((schema) => schema !== nullable);
  const [only] = rest;
  if (nullable && rest.length === 1 && only && typeof only.type === 'string' && !('enum' in only)) {
    return { ...only, type: [only.type, 'null'] };
  }
  return { anyOf: [...rest, ...(nullable ? [nullable] : [])] };
}
