/** The package names its types in a way that its own `exports` hide. */
declare module 'evmole' {
  export function contractInfo(
    code: string,
    wanted: { selectors?: boolean; arguments?: boolean; stateMutability?: boolean },
  ): {
    functions?: {
      /** Eight hexadecimal digits without 0x. */
      selector: string;
      arguments?: string;
      stateMutability?: string;
    }[];
  };
}
