/**
 * Letters that look like a Latin one, by the Latin letter: Cyrillic, Greek, Armenian, Cherokee and
 * Latin forms that NFKC keeps apart. A selection from Unicode Technical Standard 39, confusables.txt.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ∂ӑӓάǎăāą',
  b: 'ЬвьβƄВВΒʙб',
  c: 'сϲСᴄϹçćč¢',
  d: 'ԁԀɗđďᴅ',
  e: 'еєЕΕεҽёэēėęěɇ',
  f: 'ғϝƒҒ',
  g: 'ɡցԌɢğģġ',
  h: 'һНΗհᏂʜ',
  i: 'іΙІıιɩӏ|!1lίïīíìľłŀḷ',
  j: 'јЈϳʝ',
  k: 'кКΚκķᴋ',
  m: 'мМΜᴍ',
  n: 'пΝηńňņɴռ',
  o: 'оОΟοօ0σøōőóòöⲟ',
  p: 'рРΡρрᴘþ',
  q: 'ԛգɋ',
  r: 'гѓʀŕřŗᴦ',
  s: 'ѕЅ5$ꜱşšśș',
  t: 'тТΤτţťțᴛ†',
  u: 'υսцµμūůűųʋ',
  v: 'νѵѴᴠ',
  w: 'ԝԜωшɯŵ',
  x: 'хХΧχ×',
  y: 'уУΥүγýÿʏ',
  z: 'ᴢΖžźżʐ',
};

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([latin, others]) =>
    Array.from(others, (other) => [other, latin] as const),
  ),
);

/** Marks above and below letters, invisible characters, spaces and punctuation. */
const IGNORED = /[\p{M}\p{Cf}\p{Cc}\p{Z}\p{P}]/gu;

/**
 * What a text reads like at a glance: texts that look alike have the same skeleton. Compare
 * skeletons with skeletons only; they are no text to show.
 */
export const confusableSkeleton = (text: string): string => {
  const letters = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const latin = Array.from(letters, (letter) => LATIN_OF.get(letter) ?? letter).join('');
  const lower = latin.normalize('NFKD').toLowerCase();
  return Array.from(lower, (letter) => LATIN_OF.get(letter) ?? letter)
    .join('')
    .replace(IGNORED, '');
};

/** Plain characters that people take for one another; capital I is none of small i, and L none of l. */
const GLANCE: Readonly<Record<string, string>> = {
  I: '|',
  l: '|',
  '1': '|',
  '!': '|',
  '0': 'o',
  '5': 's',
  $: 's',
};

/**
 * What a text of plain ASCII reads like at a glance. More narrow than `confusableSkeleton`, which is blind to
 * the case of letters: LDO and IDO are two honest tokens, DAl is not DAI.
 */
export const asciiGlance = (text: string): string =>
  Array.from(text, (letter) => GLANCE[letter] ?? letter.toLowerCase())
    .join('')
    .replace(IGNORED, '');
