/** Elements that only draw. */
const ALLOWED_ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline'],
  ...['polygon', 'text', 'tspan', 'linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask'],
]);
const NAMESPACE = 'http://www.w3.org/2000/svg';
/** Maximum length of one tag. */
const MAX_TAG = 16_384;

const DECLARATION = /^<\?xml [^<>]*\?>/;
const NAME = /\/?([A-Za-z]+)/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const END = /\s*\/?>/y;
const EXTERNAL_URL = /url\(\s*["']?(?!\s*["']?#)/i;

function withoutComments(text: string): string {
  let kept = '';
  let rest = text;
  for (;;) {
    const start = rest.indexOf('<!--');
    if (start < 0) return kept + rest;
    const end = rest.indexOf('-->', start + 4);
    if (end < 0) return kept + rest;
    kept += rest.slice(0, start);
    rest = rest.slice(end + 3);
  }
}

function findAttributeRisk(name: string, value: string): string | undefined {
  if (name.toLowerCase().startsWith('on')) return `it has the attribute ${name}`;
  if (name === 'xml:base') return 'it has the attribute xml:base';
  if (name === 'href' || name.endsWith(':href'))
    return value.startsWith('#') ? undefined : 'it refers to something else';
  if (name === 'xmlns' && value !== NAMESPACE) return 'it is not in the namespace of SVG';
  if (value.includes('&')) return `its attribute ${name} has an entity`;
  if (name !== 'style' && !EXTERNAL_URL.test(value)) return undefined;
  const odd = /[\\@]|image|src\(/i.test(value) || EXTERNAL_URL.test(value);
  return odd ? `its attribute ${name} may load something` : undefined;
}

/** Checks a tag and the text up to the next tag. Returns the error, if there is one. */
function findTagRisk(piece: string): string | undefined {
  if (piece.length > MAX_TAG) return `a tag has more than ${MAX_TAG} characters`;
  NAME.lastIndex = 0;
  const element = NAME.exec(piece)?.[1];
  if (!element || !ALLOWED_ELEMENTS.has(element)) return `it has <${(element ?? piece).slice(0, 20)}>`;
  let at = NAME.lastIndex;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(piece);
    if (!found) break;
    at = ATTRIBUTE.lastIndex;
    const risk = findAttributeRisk(found[1] as string, found[2] ?? found[3] ?? '');
    if (risk) return risk;
  }
  END.lastIndex = at;
  return END.test(piece) && !piece.includes('>', END.lastIndex) ? undefined : `<${element}> is not well formed`;
}

/**
 * Returns why an SVG image is unsafe, or `undefined` if it is safe. A browser runs no scripts of an image in `<img>`,
 * but users can open the image directly. Therefore the check is an allowlist.
 */
export function findSvgRisk(text: string): string | undefined {
  const [head, first, ...rest] = withoutComments(text.replace('\ufeff', '').trim().replace(DECLARATION, '')).split('<');
  if (head?.trim() !== '' || !/^svg[\s>]/.test(first ?? '')) return 'it does not begin with <svg>';
  for (const piece of [first as string, ...rest]) {
    const risk = findTagRisk(piece);
    if (risk) return risk;
  }
  return undefined;
}
