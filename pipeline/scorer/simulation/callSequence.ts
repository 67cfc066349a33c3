import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { disassemble } from '../contract/codePatterns.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { encodeCall, quantity } from './evmCode.ts';

/** The clock a contract reads. */
export type ClockKind = 'time' | 'number';

/** The times of a block, hexadecimal quantities. */
interface BlockTimes {
  readonly number: Hex;
  readonly time: Hex;
}

/** A contract whose clock can be advanced. */
export interface ClockedContract {
  /** The contract whose balance shows the time. */
  readonly shownBy: Hex;
  /** The contract whose code is replaced: the same, or its implementation. */
  readonly runs: Hex;
  readonly code: Hex;
}

/** A clock of the simulation itself. */
export interface Clock {
  readonly at: (block: BlockTimes) => bigint;
  readonly contracts: readonly ClockedContract[];
}

const OPCODE: Readonly<Record<ClockKind, number>> = { time: 0x42, number: 0x43 };
const SELFBALANCE = '47';
/** Characters of `0x`. */
const DIGITS_FROM = 2;

/**
 * Code in which each read of the clock is replaced by a read of the contract's own ether balance, which is also one
 * byte and takes no operand.
 */
const withOwnClock = (code: Hex, kind: ClockKind): Hex => {
  const parts: string[] = [];
  let from = 0;
  for (const { at, opcode } of disassemble(code)) {
    if (opcode !== OPCODE[kind]) continue;
    parts.push(code.slice(from, DIGITS_FROM + 2 * at), SELFBALANCE);
    from = DIGITS_FROM + 2 * at + SELFBALANCE.length;
  }
  return `${parts.join('')}${code.slice(from)}` as Hex;
};

/**
 * A contract that reads the time or number of its block, changed to read its own balance. Within one `eth_call` the
 * time stands still, while a balance can be raised: that is how days pass there. Undefined if its code reads neither.
 */
export const clockedContract = (
  address: Hex,
  { proxy, code }: { readonly proxy: ContractProfile['proxy']; readonly code: Hex },
  kind: ClockKind,
): ClockedContract | undefined => {
  const own = withOwnClock(code, kind);
  return own === code
    ? undefined
    : { shownBy: address, runs: proxy?.implementation ?? address, code: own };
};

/** The clock of this kind. */
export const clockOf = (kind: ClockKind, contracts: readonly ClockedContract[]): Clock => ({
  at: (block) => BigInt(block[kind]),
  contracts,
});

/**
 * Runtime code of CallSequence.sol: compiled as `ROUTER_CODES` are, and compared with its source by the same test.
 */
export const CALL_SEQUENCE_CODE: Hex =
  '0x608060405261000d366100fb565b602081519101f35b909291928360a0116100325783116100325760a00191609f190190565b600080fd5b634e487b7160e01b600052601160045260246000fd5b60a001908160a01161005b57565b610037565b634e487b7160e01b600052604160045260246000fd5b601f909101601f19168101906001600160401b0382119082101761009957604052565b610060565b9081519160005b8381106100b6575050016000815290565b80602080928401015181850152016100a5565b6100f9906100eb6100e59493604051958693602085019061009e565b9061009e565b03601f198101845283610076565b565b60609190600032330361017457905b60a0811015610117575050565b90928160a011610032576080840135601f810180911161005b5761013e90601f191661004d565b906000838311610171575061015d906101578387610276565b906100c9565b93600083831161017157508101910361010a565b80fd5b506060925050565b35906001600160a01b038216820361003257565b908160a0910312610032576101a48161017c565b916101b16020830161017c565b916040810135916080606083013592013590565b6040513d6000823e3d90fd5b6001600160401b03811161009957601f01601f191660200190565b604051906101fb602083610076565b60008252565b92919261020d826101d1565b9161021b6040519384610076565b829481845281830111610032578281602093846000960137010152565b908092918237016000815290565b3d15610271573d90610257826101d1565b916102656040519384610076565b82523d6000602084013e565b606090565b9061028381830183610190565b6001600160a01b0394851696929492939092169181156102f9573087146102cd57505050916000939184936102bd60405180948193610238565b03925af1506102ca610246565b90565b6102ca9650926102f392956102e66102ec93969561004d565b91610015565b3691610201565b92610350565b5050604051929450919250506064808301916001600160401b0383118484101761009957839261033b926103dd85396001600160a01b03909116815260200190565b0391f01561034b576102ca6101ec565b6101c5565b9260009283925a9560208451940192f13d9061106882116103d2575b602060405192808452601f19601f820116906000838601833682373e8301016040525a830392831161005b576102ca92825190601f19601f8301168452604051921515602084015260408301526060820152606081526103cd608082610076565b6100c9565b611068915061036c56fe6080601f606438819003918201601f19168301916001600160401b03831184841017604d57808492602094604052833981010312604857516001600160a01b0381168103604857ff5b600080fd5b634e487b7160e01b600052604160045260246000fdfe';

const hexSchema = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]*$/.test(value),
);
const blockSchema = z.object({
  blockOverrides: z.object({
    number: hexSchema,
    time: hexSchema,
    baseFeePerGas: hexSchema.optional(),
  }),
  stateOverrides: z
    .record(z.object({ balance: hexSchema.optional(), code: hexSchema.optional() }))
    .default({}),
  calls: z.array(
    z.object({
      from: addressSchema,
      to: addressSchema,
      input: hexSchema,
      gas: hexSchema,
      value: hexSchema.default('0x0'),
    }),
  ),
});

/** Parameters of `eth_simulateV1` as used here: blocks of calls, and the block they build on. */
export const simulationSchema = z.tuple([
  z.object({ blockStateCalls: z.array(blockSchema).min(1) }).passthrough(),
  hexSchema,
]);
export type Simulation = z.infer<typeof simulationSchema>;

/** The used fields of an answer of `eth_simulateV1`. */
export type SimulatedBlocks = readonly {
  readonly calls: readonly { status: Hex; gasUsed: Hex; returnData: Hex }[];
}[];

/** Base gas of a transaction, which `eth_simulateV1` counts as well. */
const INTRINSIC_GAS = 21_000n;
/** Gas overhead of the sequence per call: it copies the data and the results of all. */
const OVERHEAD_GAS = 300_000n;
const WORD_DIGITS = 64;

const filledUp = (digits: string): string =>
  digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');

const step = (sender: Hex, target: Hex, value: bigint, gas: bigint, input: Hex): string => {
  const size = BigInt((input.length - 2) / 2);
  const head = encodeCall('0x', sender, target, value, gas, size).slice(2);
  return head + filledUp(input.slice(2));
};

/**
 * Steps that raise the balances set by a later block: they show the number of that block to code that the simulation
 * itself deploys (see `withOwnClock`).
 */
const raises = ([{ blockStateCalls }]: Simulation, i: number, trader: Hex): string => {
  const [first, ...between] = blockStateCalls.slice(0, i);
  if (!first) return '';
  const shownBefore = (address: string): Hex =>
    between.findLast(({ stateOverrides }) => stateOverrides[address]?.balance)?.stateOverrides[
      address
    ]?.balance ?? first.blockOverrides.number;
  return Object.entries(blockStateCalls[i]?.stateOverrides ?? {})
    .flatMap(([address, { balance }]) => {
      const passed = BigInt(balance ?? 0) - BigInt(shownBefore(address));
      return passed > 0n ? step(trader, address as Hex, passed, 0n, '0x') : [];
    })
    .join('');
};

/** Steps of all blocks; between two blocks the clocks of the contracts are advanced. */
const stepsOf = (simulation: Simulation, trader: Hex, clock: Clock | undefined): Hex => {
  const [{ blockStateCalls }] = simulation;
  const waits = (i: number): string => {
    const [before, now] = [blockStateCalls[i - 1], blockStateCalls[i]];
    if (!clock || !before || !now) return '';
    const passed = clock.at(now.blockOverrides) - clock.at(before.blockOverrides);
    return clock.contracts.map(({ shownBy }) => step(trader, shownBy, passed, 0n, '0x')).join('');
  };
  const blocks = blockStateCalls.map(
    ({ calls }, i) =>
      waits(i) +
      raises(simulation, i, trader) +
      calls
        .map(({ from, to, input, gas, value }) => step(from, to, BigInt(value), BigInt(gas), input))
        .join(''),
  );
  return `0x${blocks.join('')}`;
};

/** Accounts of the simulation, those that act with the code of the sequence, and patched contracts. */
const overridesOf = ([{ blockStateCalls }]: Simulation, clock: Clock | undefined) => {
  const overrides = new Map<string, { balance?: Hex; code?: Hex }>();
  const add = (address: string, change: { balance?: Hex; code?: Hex }): void => {
    overrides.set(address, { ...overrides.get(address), ...change });
  };
  const [first] = blockStateCalls;
  for (const [i, { stateOverrides, calls }] of blockStateCalls.entries()) {
    for (const [address, { balance, code }] of Object.entries(stateOverrides)) {
      // A balance set in a later block means that block's number; before it, the first block's number is used.
      const begins = i > 0 && first ? first.blockOverrides.number : balance;
      add(address, { ...(balance && begins && { balance: begins }), ...(code && { code }) });
    }
    for (const { from } of calls) add(from, { code: CALL_SEQUENCE_CODE });
  }
  for (const { shownBy, runs, code } of clock?.contracts ?? []) {
    if (first) add(shownBy, { balance: quantity(clock?.at(first.blockOverrides) ?? 0n) });
    add(runs, { code });
  }
  return Object.fromEntries(overrides);
};

/** The simulation as the parameters of one `eth_call`. The first caller is the trader. */
export const sequenceParams = (simulation: Simulation, clock?: Clock): readonly unknown[] => {
  const [{ blockStateCalls }, block] = simulation;
  const calls = blockStateCalls.flatMap((one) => one.calls);
  const trader = calls[0]?.from ?? '0x';
  const gas = calls.reduce((sum, one) => sum + BigInt(one.gas) + OVERHEAD_GAS, OVERHEAD_GAS);
  const data = stepsOf(simulation, trader, clock);
  return [
    { from: trader, to: trader, gas: quantity(gas), data },
    block,
    overridesOf(simulation, clock),
  ];
};

const ANSWER = /^0x(?:[0-9a-f]{64})+$/;

/**
 * Reads the answer to `sequenceParams`. Undefined unless it has exactly the requested results: nodes without state
 * overrides call an empty account.
 */
export const readSequence = (
  [{ blockStateCalls }]: Simulation,
  answer: unknown,
): SimulatedBlocks | undefined => {
  if (typeof answer !== 'string' || !ANSWER.test(answer)) return undefined;
  let at = 2;
  const word = (): bigint => {
    const digits = answer.slice(at, at + WORD_DIGITS);
    at += WORD_DIGITS;
    return digits === '' ? 0n : BigInt(`0x${digits}`);
  };
  const blocks = blockStateCalls.map(({ calls }) => ({
    calls: calls.map(() => {
      const [done, used, size] = [word(), word(), Number(word())];
      const returnData: Hex = `0x${answer.slice(at, at + 2 * size)}`;
      at += Math.ceil((2 * size) / WORD_DIGITS) * WORD_DIGITS;
      return { status: quantity(done), gasUsed: quantity(used + INTRINSIC_GAS), returnData };
    }),
  }));
  return at === answer.length ? blocks : undefined;
};
