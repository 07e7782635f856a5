/** The character order of the formatter: a capital comes before its lower-case letter. */
const ORDER = "/.-_'@:0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz";

const parts = (text: string): string[] => text.match(/\d+|\D/g) ?? [];
const isNumber = (part: string): boolean => /^\d/.test(part);

function compareParts(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return BigInt(a) < BigInt(b) ? -1 : 1;
  return ORDER.indexOf(a.slice(0, 1)) - ORDER.indexOf(b.slice(0, 1));
}

/** Compares names as the formatter does, with numbers by value. */
export function compareNaturally(one: string, other: string): number {
  const [a, b] = [parts(one), parts(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return a.length - b.length;
  const [mine, its] = [a[at] as string, b[at]];
  return its === undefined ? 1 : compareParts(mine, its);
}

/** The most distant sources come first: Node, packages, parent folders, this folder. */
function distance(source: string): number {
  if (source.startsWith('node:')) return 0;
  if (!source.startsWith('.')) return 1;
  if (source.startsWith('./')) return 1000;
  return 1000 - (source.match(/\.\.\//g)?.length ?? 0);
}

/** Compares import sources in the order of the formatter. */
export const compareImports = (one: string, other: string): number =>
  distance(one) - distance(other) || compareNaturally(one, other);
