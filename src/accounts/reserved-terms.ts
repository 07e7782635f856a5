const RESERVED_TERMS = new Set<string>();

/** Homoglyphs: characters by the Latin letter that they resemble. */
const HOMOGLYPHS: Readonly<Record<string, string>> = {
  a: 'аαАΑɑᴀꭺᎪꓮаӑ⍺',
  b: 'вьВΒβЬʙᏏᏴꓐЪъ',
  c: 'сСϲϹᴄᏟꓚⅽ',
  d: 'ԁԀᴅᎠꓓđ',
  e: 'еЕεΕєЄɛᴇᎬꓰəҽ',
  f: 'ғҒϝϜꓝƒ',
  g: 'ɡɢԍԌցᏀꓖց',
  h: 'һҺНΗнհʜᎻꓧђћ',
  j: 'јЈϳᴊᎫꓙȷ',
  k: 'кКκΚᴋᏦꓗқҚ',
  l: 'iIlL1|ıіІιΙӏӀʟɩɪᎥᏞꓡꓲłןӀ!',
  m: 'мМΜᴍᎷꓟ',
  n: 'пПΝηɴոռꓠ',
  o: '0оОοΟօՕσᴏᎾꓳøØ',
  p: 'рРρΡᴘᏢꓑƿ',
  q: 'ԛԚզ',
  r: 'гГʀᎡꓣᖇ',
  s: 'ѕЅꜱᏚꓢʂ',
  t: 'тТτΤᴛᎢꓔŧ',
  u: 'υսᴜꓴʊ',
  v: 'νѵѴᴠᏙꓦ',
  w: 'ԝԜωᴡᎳꓪѡ',
  x: 'хХχΧᕁꓫ×',
  y: 'уУγΥүҮʏᎩꓬ',
  z: 'ΖᴢᏃꓜ',
};

const LATIN = new Map(
  Object.entries(HOMOGLYPHS).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** Boxed and circled alphabets without a Unicode decomposition: the code point of each letter A. */
const BOXED = [0x1f150, 0x1f170, 0x1f1e6];

function decomposeBoxed(character: string): string {
  const code = character.codePointAt(0) as number;
  const first = BOXED.find((begin) => code >= begin && code < begin + 26);
  return first === undefined ? character : String.fromCharCode(0x61 + code - first);
}

const toLatin = (character: string): string => LATIN.get(character) ?? LATIN.get(character.toLowerCase()) ?? character;

/**
 * Normalizes a text to what a reader sees: Latin letters and digits, without separators, decorations and homoglyphs.
 */
export function toSkeleton(text: string): string {
  const letters = [...text.normalize('NFKD')].map((character) => toLatin(decomposeBoxed(character))).join('');
  return letters
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** Reserves a term. Names must not contain it, because they could impersonate the service. */
export function reserveTerm(term: string): void {
  const read = toSkeleton(term);
  if (read !== '') RESERVED_TERMS.add(read);
}

reserveTerm('system message');

export function containsTerm(text: string): boolean {
  const read = toSkeleton(text);
  return [...RESERVED_TERMS].some((term) => read.includes(term));
}
