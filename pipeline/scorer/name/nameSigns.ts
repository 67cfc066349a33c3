import { firstInvisible, looksLike, readable } from '../../../shared/names/readable.ts';

/** A text as written, and as people read it. */
interface Text {
  readonly raw: string;
  readonly read: string;
}

/** Top-level domains, of countries and trades, that occur in token names. “USDC.e” and “TIA.n” do not match. */
const ENDINGS = [
  'com|net|org|info|biz|io|co|me|us|uk|eu|de|fr|it|ru|cn|jp|in|is|to|cc|tv|ws|ai|sh|gg|fi|ac|ly|la|im|id|so|st|re|pw|gl',
  'mx|br|li|ch|at|be|nl|pl|se|no|cz|es|pt|ca|au|nz|za|kr|tw|hk|sg|my|th|vn|ph|tr|ae|il|ua|kz|ro|hu|gr|tk|ml|ga|cf|gq',
  'app|dev|xyz|top|vip|cfd|icu|win|lol|tech|site|online|club|live|pro|fun|space|store|shop|cash|gifts?|website|uno|link',
  'click|buzz|cyou|sbs|rest|bond|finance|exchange|network|events?|claims?|markets?|trade|trading|money|fund|foundation',
  'capital|digital|world|today|life|zone|cloud|land|social|games?|bet|casino|bid|loan|works?|group|team|tools|pages?',
  'pics|quest|monster|beauty|hair|skin|makeup|boats|homes|autos|lat|run|gold|best|one|plus|ink|wiki|blog|news|media',
  'agency|center|guru|email|chat|community|support|help|how|pub|ltd|llc|inc|limited|tax|wtf|meme|army|red|blue|pink',
  'black|house|city|fit|art|design|studio|audio|mobi|name|vote|host|press|mom|baby|kim|xin|wang|ren|farm|vet|energy',
  'cool|rocks|ninja|fyi|sale|deals|promo|codes?|build|supply|earth|global|systems?|solutions|services|express|company',
  'bar|cafe|care|day|date|men|party|review|science|stream|webcam|download|racing|accountant|faith|cricket|directory',
].join('|');

/** Patterns in a text as people read it. If there is a group, only that part is shown. */
const PATTERNS = {
  visit:
    /\b(?:vi?si?t(?:ing)?|go to|access|check(?: (?:on|at|out))?|enter|open|browse|available (?:at|on|in)|see (?:on|at))\b/u,
  claim:
    /\bcl[a4]im\w*|\b(?:redeem|collect|get (?:your|it|now|the|a)?|receive|withdraw|participate|activate|unlock|earn|join|register|eligible)\b/u,
  pay: /\b(?:pay|payment|send|deposit(?! *$)|buy|mint (?:at|on|now)|swap (?:your|now|on|at|tokens?|in)|exchange (?:your|on|at)|migrate|convert)\b/u,
  promise:
    /\b(?:rewards?|air ?drop(?:s|ped)?|bonus(?:es)?|vouchers?|gifts?|give ?aways?|free|tickets?|distribution|prizes?|winner|won|lottery|bounty|promo|refund|compensation|coupon|invite|cash ?back|drops?|round \d)\b/u,
  urgency: /\b(?:now|until|today|hurry|limited|expires?|ends?|last|only|exclusive|special|live)\b/u,
  domain: new RegExp(
    `(?:^|[^\\p{L}\\p{N}.@-])((?:[\\p{L}\\p{N}][\\p{L}\\p{N}-]*\\s?\\.\\s?)+(?:${ENDINGS}))(?![\\p{L}\\p{N}-]|\\.[\\p{L}.])`,
    'u',
  ),
  link: /(?:https?:?\s?\/\/|\bwww[. ])\S*/u,
  shortLink:
    /(?:^|[^\p{L}\p{N}.])((?:t ?\. ?me|t\.ly|bit\.ly|fli\.so|tinyurl\.com|cutt\.ly|is\.gd|rb\.gy|linktr\.ee|t\.co|discord\.gg|rebrand\.ly|shorturl\.at|goo\.gl)\/\S*)/u,
  contact: /(?:\b(?:telegram|tg|whatsapp|qq)\b|电报|微信)[^\p{L}\p{N}]*@?\S*|@\w{4,}/u,
  money:
    /[$€£]\s?\d[\d.,]*k?(?![\p{L}\p{N}])|\d[\d.,]*\s?[$€£]|\b\d[\d.,]*k?\s?(?:usd[tce]?|eth|w?eth|steth|btc|bnb|matic|pol|op|arb|dai|dollars?)\b/u,
} as const satisfies Record<string, RegExp>;

/** Signs and pictures before a name that sort it first in a wallet. A ticker’s dollar sign does not count. */
const EYE_CATCHER = /^(?:[^\p{L}\p{N}\s$(["'.\p{Cf}]|\$\s)\s*/u;
const EMOJI = /\p{Extended_Pictographic}/u;
const RIGHT_TO_LEFT = /[\u061c\u200f\u202a-\u202e\u2066-\u2069]/u;

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Canadian_Aboriginal}/u,
];
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** The unit sign is a Greek letter that honest names have before a Latin word. */
const UNIT_SIGN = /^[\u03bc\u00b5](?=\p{Lu})/u;
/** Shorter words of one foreign alphabet all look like Latin ones. */
const FOREIGN_LETTERS_MIN = 3;

/** A word of several alphabets, or entirely of non-Latin letters that read as Latin. */
const isDisguised = (word: string): boolean => {
  const letters = Array.from(word.replace(UNIT_SIGN, ''));
  const text = letters.join('');
  if (SCRIPTS.filter((script) => script.test(text)).length > 1) return true;
  const isForeign = letters.every((letter) => letter > '\x7f' && looksLike(letter) !== undefined);
  return isForeign && letters.length >= FOREIGN_LETTERS_MIN;
};

const firstMatch = (pattern: RegExp, text: string): string | undefined => {
  const found = pattern.exec(text);
  return found ? (found[1] ?? found[0]).trim() : undefined;
};

/** An invisible character, by its number. */
const numbered = (letter: string | undefined): string | undefined =>
  letter && `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** What the text as written shows. */
const WRITTEN = {
  eyeCatcher: (raw: string) => firstMatch(EYE_CATCHER, raw),
  emoji: (raw: string) => firstMatch(EMOJI, raw),
  invisible: (raw: string) => numbered(firstInvisible(raw)),
  rightToLeft: (raw: string) => numbered(RIGHT_TO_LEFT.exec(raw)?.[0]),
  mixedScripts: (raw: string) =>
    raw
      .replace(/\p{Cf}/gu, '')
      .match(WORD)
      ?.find(isDisguised),
} as const;

export type SignId = keyof typeof PATTERNS | keyof typeof WRITTEN;
export type NameField = 'name' | 'symbol';

/** A part of a name that is typical of spam. */
export interface NameSign {
  readonly id: SignId;
  readonly field: NameField;
  /** The matching part: in lower case as people read it, or as written if that matters. */
  readonly part: string;
}

const partsOf = ({ raw, read }: Text): (readonly [SignId, string | undefined])[] => [
  ...keysOf(PATTERNS).map((id) => [id, firstMatch(PATTERNS[id], read)] as const),
  ...keysOf(WRITTEN).map((id) => [id, WRITTEN[id](raw)] as const),
];

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(record) as Key[];

/** All signs of one text, each at its first occurrence. */
export const signsOf = (field: NameField, raw: string): NameSign[] =>
  partsOf({ raw, read: readable(raw) }).flatMap(([id, part]) =>
    part === undefined ? [] : [{ id, field, part }],
  );
