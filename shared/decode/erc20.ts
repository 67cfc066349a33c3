import { type EventDecoder, eventDecoder } from './logShape.ts';

const transfer = eventDecoder(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  (args, { address: token }, place) => {
    return { kind: 'transfer', token, ...args, ...place };
  },
);

/** What tokens log: movements of ERC-20 tokens, and owners of contracts. */
export const erc20: readonly EventDecoder[] = [
  {
    ...transfer,
    // The id of an NFT is indexed too.
    decode: (log) => (log.topics.length === 4 ? 'erc721' : transfer.decode(log)),
  },
  eventDecoder(
    'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    (args, { address: contract }, place) => {
      return { kind: 'ownershipTransferred', contract, ...args, ...place };
    },
  ),
];
