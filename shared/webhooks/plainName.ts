/** Maximum characters of a name that a creator chose. */
const NAME_LENGTH_MAX = 40;
/** Chats turn letters with a dot between them into a link, so the dot is put into brackets. */
const DOT_OF_ADDRESS = /(?<=[\p{L}\p{N}])[.。．｡](?=\p{L})/gu;

/**
 * A name chosen by a creator, as text that no chat turns into a link, a mention or a second line: without invisible
 * and direction-changing characters, with dots of addresses in brackets.
 */
export const plainName = (text: string): string => {
  const seen = text
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(/[\p{C}\ufffd]/gu, '')
    .replace(DOT_OF_ADDRESS, '[.]')
    .replace(/@/g, '(at)')
    .trim();
  const letters = Array.from(seen);
  return letters.length > NAME_LENGTH_MAX ? `${letters.slice(0, NAME_LENGTH_MAX).join('')}…` : seen;
};
