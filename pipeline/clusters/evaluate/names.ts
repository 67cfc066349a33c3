import type { Hex } from '../../../shared/chain/block.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Addresses for the wallet names of a file, whatever they look like. */
export interface Names {
  addressOf(name: string): Hex;
  /** The name as the file spells it; lower case where it spells it in several ways. */
  nameOf(address: Hex): string;
}

/** Names are told apart without regard to case. */
export const createNames = (): Names => {
  const addresses = new Map<string, Hex>();
  const spellings = new Map<Hex, string>();
  const made = (count: number): Hex => `0x${count.toString(16).padStart(40, '0')}`;
  return {
    addressOf: (name) => {
      const folded = name.toLowerCase();
      let address = addresses.get(folded);
      if (address === undefined) {
        address = ADDRESS.test(folded) ? (folded as Hex) : made(2 ** 32 + addresses.size);
        addresses.set(folded, address);
        spellings.set(address, name);
      } else if (spellings.get(address) !== name) spellings.set(address, folded);
      return address;
    },
    nameOf: (address) => spellings.get(address) ?? address,
  };
};
