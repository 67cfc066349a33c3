/** An address as people write it: in any letter case, that of the prefix too. */
export const ADDRESS_TEXT = /^0[xX][0-9a-fA-F]{40}$/;
/** The error for a text that is not an address. */
export const ADDRESS_RULE = 'must be an address: 0x and 40 hexadecimal digits';
