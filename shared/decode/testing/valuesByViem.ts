import { decodeEventLog, type Hex } from 'viem';
import type { EventDecoder } from '../logShape.ts';
import type { RawLog } from '../rawBlock.ts';

/** A value in the form of facts: quantities, signed or not, in lower-case hexadecimal. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value !== 'bigint') return value;
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
};

type Values = Readonly<Record<string, unknown>>;

/**
 * What a decoder should read in a log, by viem's decoding in strict mode. Empty for values that are in no fact.
 * @throws DecodeLogDataMismatch, DecodeLogTopicsMismatch if the log is not shaped like the event
 */
export const valuesByViem = ({ abi }: Pick<EventDecoder, 'abi'>, log: RawLog): Values => {
  const topics = log.topics as [Hex, ...Hex[]];
  const { args } = decodeEventLog({ abi: [abi], topics, data: log.data, strict: true });
  const values = args as unknown as Values;
  const flat = abi.inputs.flatMap((input) =>
    'components' in input
      ? Object.entries(values[input.name ?? ''] as Values)
      : [[input.name ?? '', values[input.name ?? '']] as const],
  );
  return Object.fromEntries(
    flat.flatMap(([name, value]) => (name.startsWith('_') ? [] : [[name, plainOf(value)]])),
  );
};
