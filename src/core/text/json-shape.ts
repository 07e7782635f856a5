const MAX_DEPTH = 32;
const MAX_MEMBERS = 10_000;

const [SPACE, QUOTE, BACKSLASH, COMMA, AND] = [0x20, 0x22, 0x5c, 0x2c, 0x26];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Enforces the maximum depth and number of members and elements of JSON (conventions.md section 1). Counts while bytes
 * arrive, before anything is parsed, because parsing a million members takes half a second. The result is meaningless
 * for invalid JSON.
 */
export class JsonShape {
  private depth = 0;
  private members = 0;
  /** Whether the last opened bracket has no content yet. */
  private isEmpty = false;
  private isInText = false;
  private isEscaped = false;
  /** True while there are no bytes other than white space. */
  isBlank = true;

  constructor(private readonly maxMembers = MAX_MEMBERS) {}

  get isWithinLimits(): boolean {
    return this.depth <= MAX_DEPTH && this.members <= this.maxMembers;
  }

  take(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && this.isWithinLimits; i++) {
      if (this.isInText) i = this.endOfText(bytes, i);
      else this.takeOutside(bytes[i] as number);
    }
  }

  private takeOutside(byte: number): void {
    if (byte !== SPACE && (byte < 9 || byte > 13)) this.isBlank = false;
    if (byte <= SPACE) return;
    const closes = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
    if ((this.isEmpty && !closes) || byte === COMMA) this.members++;
    if (closes) this.depth--;
    this.isEmpty = byte === OPEN_LIST || byte === OPEN_OBJECT;
    if (this.isEmpty) this.depth++;
    this.isInText = byte === QUOTE;
  }

  /** Index of the end of the string that continues at `at`, or of the last byte. */
  private endOfText(bytes: Uint8Array, at: number): number {
    let i = this.isEscaped ? at + 1 : at;
    this.isEscaped = false;
    for (; i < bytes.length; i++) {
      if (bytes[i] === QUOTE) {
        this.isInText = false;
        return i;
      }
      if (bytes[i] === BACKSLASH) i++;
    }
    this.isEscaped = i > bytes.length;
    return i;
  }
}

export function isWithinJsonLimits(bytes: Uint8Array): boolean {
  const shape = new JsonShape();
  shape.take(bytes);
  return shape.isWithinLimits;
}

/** Whether a form has at most as many parameters as a body may have members. */
export function isWithinFormLimits(bytes: Uint8Array): boolean {
  let parameters = 1;
  for (let at = bytes.indexOf(AND); at >= 0; at = bytes.indexOf(AND, at + 1)) {
    if (++parameters > MAX_MEMBERS) return false;
  }
  return true;
}
