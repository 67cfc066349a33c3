import { addressWord } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { keccakOfHex } from '../simulation/evmCode.ts';
import { type Instruction, live } from './codePatterns.ts';
import type { ContractProfile } from './contractProfile.ts';

/** Code of a contract that compares hashes with constants. */
export interface SecretCode {
  /** The contract with this code: the implementation, if there is a proxy. */
  readonly runs: Hex;
  readonly code: Hex;
  /** The constants, 32 bytes each. */
  readonly hashes: readonly Hex[];
}

/** Code that replaces a contract's own in a simulation. */
export interface PatchedCode {
  readonly address: Hex;
  readonly code: Hex;
}

/** The code that a contract runs, with the hashes that it compares with. */
export const secretCode = (
  address: Hex,
  { proxy, code }: { readonly proxy: ContractProfile['proxy']; readonly code: Hex },
  hashes: readonly Hex[],
): SecretCode => ({ runs: proxy?.implementation ?? address, code, hashes });

const KECCAK256 = 0x20;
const PUSH32 = 0x7f;
/** EQ, SUB and XOR: compilers compare by any of them, and test the result by ISZERO or JUMPI. */
const COMPARES: ReadonlySet<number> = new Set([0x14, 0x03, 0x18]);
const DECIDES: ReadonlySet<number> = new Set([0x15, 0x57]);
/**
 * Instructions between a hash constant and a hashing instruction, in either direction: the constant may be pushed
 * long before.
 */
const HASH_WINDOW = 48;
/**
 * Instructions from the hashing instruction, or the constant if later, to the comparison, and from there to the
 * decision.
 */
const COMPARISON_WINDOW = 8;
const DECISION_WINDOW = 3;
/** Hash constants that are examined: each is simulated in four ways. */
const HASHES_MAX = 2;
/** Event topics are compared with nothing. */
const TOPICS: ReadonlySet<string> = new Set(Object.values(TOPIC));
/** Patterns at the ends of numbers, masks and texts, but not of hashes. */
const NO_HASH = /^(?:0{8}|f{8})|(?:0{8}|f{8})$|^(?:[2-7][0-9a-f])+$/;

const isDecided = (running: readonly Instruction[], at: number): boolean =>
  running
    .slice(at + 1, at + 1 + COMPARISON_WINDOW)
    .some(
      ({ opcode }, i) =>
        COMPARES.has(opcode) &&
        running
          .slice(at + 2 + i, at + 2 + i + DECISION_WINDOW)
          .some((one) => DECIDES.has(one.opcode)),
    );

/**
 * Hash constants that are compared with a nearby hash. An account known only by the hash of its address, or of a
 * secret word, is in no storage and no code.
 */
export const hashesCompared = (instructions: readonly Instruction[]): Hex[] => {
  const running = live(instructions);
  const hashed = running.flatMap(({ opcode }, i) => (opcode === KECCAK256 ? [i] : []));
  const found = running.flatMap(({ opcode, pushed }, i): Hex[] => {
    const isHash = opcode === PUSH32 && !NO_HASH.test(pushed) && !TOPICS.has(`0x${pushed}`);
    const isCompared =
      isHash &&
      hashed.some((at) => Math.abs(at - i) <= HASH_WINDOW && isDecided(running, Math.max(at, i)));
    return isCompared ? [`0x${pushed}`] : [];
  });
  return [...new Set(found)].slice(0, HASHES_MAX);
};

/** Possible preimages that an account has: its packed address, its address as a word, its key in a mapping of the first slot, and an empty text. */
const answersOf = (account: Hex): Hex[] => {
  const word = addressWord(account);
  return [account, word, `${word}${'00'.repeat(32)}`, '0x'];
};

/** The code with one of its constants replaced by a hash that an account can satisfy, in every way. */
export const patchesFor = ({ runs, code, hashes }: SecretCode, account: Hex): PatchedCode[] =>
  hashes.flatMap((hash) =>
    answersOf(account).map((answer): PatchedCode => {
      const own = keccakOfHex(answer).slice(2);
      return { address: runs, code: `0x${code.slice(2).replaceAll(hash.slice(2), own)}` };
    }),
  );
