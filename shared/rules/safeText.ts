/**
 * Characters that show nothing or change how their neighbours are shown: controls, format
 * characters (zero-width, bidirectional marks), surrogates, private use, line separators.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a stranger, such as a contract, as one short line of visible characters. It stays text: whoever shows
 * it in HTML must still escape it.
 * @param codePointsMax longest answer, in code points.
 */
export const safeText = (text: string, codePointsMax: number): string =>
  Array.from(text.normalize('NFC').replace(UNSAFE, ' ').replace(/\s+/gu, ' ').trim())
    .slice(0, codePointsMax)
    .join('');
