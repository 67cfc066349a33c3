import type { Hex } from '../../../shared/chain/block.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Names are compared case-insensitively. */
export const createNames = () => {
  const addresses = new Map<string, Hex>();
  const spellings = new Map<Hex, string>();
  const made = (count: number): Hex => `0x${count.toString(16).padStart(40, '0')}`;
  return {
    addressOf: (name: string): Hex => {
      const folded = name.toLowerCase();
      let address = addresses.get(folded);
      if (address === undefined) {
        address = ADDRESS.test(folded) ? (folded as Hex) : made(2 ** 32 + addresses.size);
        addresses.set(folded, address);
        spellings.set(address, name);
      } else if (spellings.get(address) !== name) spellings.set(address, folded);
      return address;
    },
    /** The name as spelled in the file; lower case if it is spelled in several ways. */
    nameOf: (address: Hex): string => spellings.get(address) ?? address,
  };
};
/** Addresses for the wallet names of a file, whatever their form. */
export type Names = ReturnType<typeof createNames>;

/** Possible names of a column, the expected one first. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  from: ['source', 'src', 'sender', 'fromaddress', 'walletfrom', 'a'],
  to: ['target', 'dst', 'destination', 'receiver', 'recipient', 'toaddress', 'walletto', 'b'],
  kind: ['type', 'edgekind', 'edgetype', 'label', 'category'],
  value: ['amount', 'weight', 'eth', 'wei', 'valueeth', 'valuewei'],
  block: ['blocknumber', 'height', 'timestamp', 'time', 'at'],
  tx: ['txhash', 'hash', 'transaction', 'transactionhash'],
  token: ['address', 'contract', 'tokenaddress', 'pool'],
  creator: ['deployer', 'owner', 'from', 'wallet', 'creatoraddress'],
  scam: ['isscam', 'rug', 'isrug', 'label', 'prediction', 'verdict'],
};

/** The separator of a header line: the comma, unless another one splits it into more parts. */
export const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, separator) =>
    header.split(separator).length > header.split(best).length ? separator : best,
  );

/** Index of each requested column, -1 if absent; case, spaces and underscores are ignored. */
export const placeColumns = (header: readonly string[], wanted: readonly string[]): number[] => {
  const names = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  return wanted.map((column) => {
    const exact = names.indexOf(column);
    if (exact >= 0) return exact;
    return names.findIndex((name) => ALIASES[column]?.includes(name) && !wanted.includes(name));
  });
};

/** A number in any notation, 0 if there is none. */
export const parseAmount = (text: string): number => {
  const amount = Number(text.replace(/_/g, ''));
  return Number.isFinite(amount) && amount > 0 ? amount : 0;
};

/** A block number or a time as a number, 0 if there is none. */
export const parseBlock = (text: string): number => {
  const block = Number(text);
  return Number.isFinite(block) && block >= 0 ? Math.floor(block) : 0;
};

const YES = /^(t|true|y|yes|scam|scammer|rug|rugpull|honeypot|fraud|malicious|bad)$/i;
const PROBABLE_MIN = 0.5;

/** Whether a cell means yes, as a word, as 1 or as a probability; undefined if it is empty. */
export const parseFlag = (text: string): boolean | undefined =>
  text === '' ? undefined : YES.test(text) || Number(text) >= PROBABLE_MIN;
