import { type EventDecoder, eventDecoder } from './logShape.ts';

const transfer = eventDecoder(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  (args, { address: token }, place) => {
    return { kind: 'transfer', token, ...args, ...place };
  },
);

/** Events of tokens: ERC-20 transfers, and owners of contracts. */
export const erc20: readonly EventDecoder[] = [
  {
    ...transfer,
    // ERC-721 transfers have an indexed id too.
    decode: (log) => (log.topics.length === 4 ? 'erc721' : transfer.decode(log)),
  },
  eventDecoder(
    'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    (args, { address: contract }, place) => {
      return { kind: 'ownershipTransferred', contract, ...args, ...place };
    },
  ),
];
