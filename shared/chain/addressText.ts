/** An address as people write it: in any letter case, that of the prefix too. */
export const ADDRESS_TEXT = /^0[xX][0-9a-fA-F]{40}$/;
/** What is said of a text that is none. */
export const ADDRESS_RULE = 'must be an address: 0x and 40 hexadecimal digits';
