/**
 * Characters that are invisible or change how their neighbours are displayed: controls, format characters
 * (zero-width, bidirectional marks), surrogates, private use, line separators.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Untrusted text, for example from a contract, as one short line of visible characters. It remains text: HTML output
 * must still escape it.
 * @param codePointsMax longest result, in code points.
 */
export const safeText = (text: string, codePointsMax: number): string =>
  Array.from(text.normalize('NFC').replace(UNSAFE, ' ').replace(/\s+/gu, ' ').trim())
    .slice(0, codePointsMax)
    .join('');
