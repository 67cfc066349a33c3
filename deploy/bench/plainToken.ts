const word = (value: number): string => value.toString(16).padStart(64, '0');
const textAnswer = (value: string): string => {
  const bytes = Buffer.from(value).toString('hex').padEnd(64, '0');
  return `0x${word(32)}${word(value.length)}${bytes}`;
};

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['0x06fdde03', textAnswer('Synthetic')],
  ['0x95d89b41', textAnswer('SYN')],
  ['0x313ce567', `0x${word(18)}`],
  ['0x18160ddd', `0x${word(2 ** 52)}`],
]);

/** Code with the selectors of an ERC-20, as long as that of a small token. */
export const TOKEN_CODE = `0x60806040a9059cbb70a08231095ea7b3${'5b'.repeat(2_000)}`;

/** What a plain token answers a call with this data: name, symbol, decimals, supply, else nothing. */
export const tokenAnswer = (data: string): string => ANSWERS.get(data) ?? '0x';
