/**
 * Characters that are invisible or change how their neighbours are displayed: controls, format characters
 * (zero-width, bidirectional marks), surrogates, private use, line separators.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Marks that are drawn over, under or around the letter before them. Without a letter they cover other text, and piled
 * up they cover the lines above and below. Of all scripts only Tibetan piles up more than three on purpose.
 */
const ALONE = /(^|\s)[\p{Mn}\p{Me}]+/gu;
const PILED = /([\p{Mn}\p{Me}]{3})[\p{Mn}\p{Me}]+/gu;

/**
 * Untrusted text, for example from a contract, as one short line of visible characters. It remains text: HTML output
 * must still escape it.
 * @param codePointsMax longest result, in code points.
 */
export const safeText = (text: string, codePointsMax: number): string => {
  const visible = text.normalize('NFC').replace(UNSAFE, ' ').replace(/\s+/gu, ' ').trim();
  const short = Array.from(visible).slice(0, codePointsMax).join('');
  return short.replace(ALONE, '$1').replace(PILED, '$1').trim();
};
