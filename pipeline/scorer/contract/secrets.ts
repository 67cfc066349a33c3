import { addressWord } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { keccakOfHex } from '../simulation/evmCode.ts';
import { type Instruction, live } from './codePatterns.ts';
import type { ContractProfile } from './contractProfile.ts';

/** Code of a contract that compares hashes with some that it carries. */
export interface SecretCode {
  /** The contract whose code it is: the implementation, where there is a proxy. */
  readonly runs: Hex;
  readonly code: Hex;
  /** What is compared with, 32 bytes each. */
  readonly hashes: readonly Hex[];
}

/** Code that runs in a simulation in place of a contract's own. */
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
/** EQ, SUB and XOR: compilers compare by any of them, and ask for the result by ISZERO or JUMPI. */
const COMPARES: ReadonlySet<number> = new Set([0x14, 0x03, 0x18]);
const DECIDES: ReadonlySet<number> = new Set([0x15, 0x57]);
/** Instructions from a hash in the code to where something is hashed, either way: it may be put on the stack long before. */
const HASH_WINDOW = 48;
/** Instructions from where something is hashed, or the hash in the code if that comes later, to the comparison, and from that to the decision. */
const COMPARISON_WINDOW = 8;
const DECISION_WINDOW = 3;
/** Hashes that are looked at: each is tried in four ways. */
const HASHES_MAX = 2;
/** What logs begin with is compared with nothing. */
const TOPICS: ReadonlySet<string> = new Set(Object.values(TOPIC));
/** What no hash begins or ends with: numbers, masks and texts do. */
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
 * Hashes in the code that something hashed nearby is compared with. Whoever is only known by the hash of his address, or by that of a word he has to say,
 * is found in no storage and no code.
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

/** Answers to a question for a hash that an account has: its address as packed, as a word, and as a key of a mapping in the first slot, and an empty text. */
const answersOf = (account: Hex): Hex[] => {
  const word = addressWord(account);
  return [account, word, `${word}${'00'.repeat(32)}`, '0x'];
};

/** The code with one of its hashes replaced by one that an account can give, in every way. */
export const patchesFor = ({ runs, code, hashes }: SecretCode, account: Hex): PatchedCode[] =>
  hashes.flatMap((hash) =>
    answersOf(account).map((answer): PatchedCode => {
      const own = keccakOfHex(answer).slice(2);
      return { address: runs, code: `0x${code.slice(2).replaceAll(hash.slice(2), own)}` };
    }),
  );
