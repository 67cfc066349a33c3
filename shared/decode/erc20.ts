import { numberOf, quantityAt } from './hex.ts';
import { declaredEvent, type EventDecoder, eventDecoder } from './logShape.ts';

const TOPIC_LENGTH = 66;
/** Where the digits of an address begin in a topic, and what stands before them. */
const ADDRESS_AT = 26;
const ADDRESS_START = `0x${'0'.repeat(24)}`;

/** By hand: three of four facts are transfers, and reading them like all other events takes twice as long. */
const transferOf: EventDecoder['decode'] = (log) => {
  const { topics, data } = log;
  if (topics.length === 4) return 'erc721';
  const [, from, to] = topics;
  if (from?.length !== TOPIC_LENGTH || to?.length !== TOPIC_LENGTH || topics.length !== 3) {
    return 'shape';
  }
  if (data.length !== TOPIC_LENGTH) return 'shape';
  if (!from.startsWith(ADDRESS_START) || !to.startsWith(ADDRESS_START)) return 'address';
  return {
    kind: 'transfer',
    token: log.address,
    from: `0x${from.slice(ADDRESS_AT)}`,
    to: `0x${to.slice(ADDRESS_AT)}`,
    value: quantityAt(data, 2, TOPIC_LENGTH),
    txHash: log.transactionHash,
    txIndex: numberOf(log.transactionIndex),
    logIndex: numberOf(log.logIndex),
  };
};

/** What tokens log: movements of ERC-20 tokens, and owners of contracts. */
export const erc20: readonly EventDecoder[] = [
  {
    ...declaredEvent('event Transfer(address indexed from, address indexed to, uint256 value)'),
    decode: transferOf,
  },
  eventDecoder(
    'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    (args, { address: contract }, place) => {
      return { kind: 'ownershipTransferred', contract, ...args, ...place };
    },
  ),
];
