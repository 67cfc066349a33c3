import { logOdds } from './logOdds.ts';

/** What the model of contract code says of the code that a token runs. */
export interface CodeOutput {
  /** Log-odds of a trapdoor among the contracts it was trained on. */
  readonly margin: number;
  readonly baseValue: number;
  /** Log-odds by opcode; with the base value they add up to the margin. */
  readonly contributions: Readonly<Record<string, number>>;
}

/** Share of trapdoors among the contracts the model was trained on: its margin contains this prior. See its card. */
export const TRAPDOOR_SHARE = 0.7407407407407407;
/**
 * How far the model is trusted, a judgement: of codes that have no relative in the data it recognises 87 % at 1 % false
 * alarms where it recognises 98 % of others (grouped and random folds of its card).
 */
const TRUST = 0.5;
/** Opcodes named one by one; the others are joined. */
const NAMED_MAX = 8;
/** Instructions that came after the data. A few stray ones stand in the metadata behind the code. */
const NEWER_OPCODES: readonly number[] = [0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x5f];
const NEWER_COUNT_MAX = 3;

/** Whether the model can judge the code: it has never seen what compilers of after 2022 write. */
export const isJudgeable = (opcodes: Float64Array): boolean =>
  NEWER_OPCODES.reduce((sum, opcode) => sum + (opcodes[opcode] ?? 0), 0) <= NEWER_COUNT_MAX;

/**
 * Log-odds that the code adds, by `code:` and opcode: half of what its margin exceeds the log-odds of its own data by,
 * never less than nothing. The labels say which contracts are trapdoors; of the others they do not say that they are
 * honest, so code unlike a trapdoor is no evidence for anybody.
 */
export const codeContributions = (output: CodeOutput | undefined): Record<string, number> => {
  if (!output) return {};
  const excess = output.margin - logOdds(TRAPDOOR_SHARE);
  if (!(excess > 0)) return {};
  const byWeight = Object.entries(output.contributions).toSorted(
    ([, a], [, b]) => Math.abs(b) - Math.abs(a),
  );
  const named = byWeight.slice(0, NAMED_MAX).filter(([, value]) => value !== 0);
  const rest = excess - named.reduce((sum, [, value]) => sum + value, 0);
  const parts: (readonly [string, number])[] = [...named, ['others', rest]];
  return Object.fromEntries(parts.map(([name, value]) => [`code:${name}`, TRUST * value]));
};
