/** Letters of a name that a creator chose. */
const NAME_LENGTH_MAX = 40;
/** A dot between letters makes an address that chats turn into a link: it is put into brackets. */
const DOT_OF_ADDRESS = /(?<=[\p{L}\p{N}])[.。．｡](?=\p{L})/gu;

/**
 * A name that a creator chose, as text that no chat makes a link, a mention or a second line of: without what cannot be seen or
 * turns the direction of text, with dots of addresses in brackets.
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
