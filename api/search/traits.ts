import type { Hex } from '../../shared/chain/block.ts';
import type { Range } from './search.ts';

/** What a search asks of tokens beyond what lists filter by; what is absent does not matter. */
export interface Traits {
  /** Ids of failed checks. */
  readonly checks?:
    | {
        readonly all?: readonly string[] | undefined;
        readonly any?: readonly string[] | undefined;
        readonly none?: readonly string[] | undefined;
      }
    | undefined;
  /** Bounds of observed features, by name. */
  readonly features?: Readonly<Record<string, Range>> | undefined;
  /** Folded part of name or symbol: see `foldText`. */
  readonly text?: string | undefined;
  readonly creator?: Hex | undefined;
}

/** Whether anything is asked. */
export const hasTraits = ({ checks = {}, features, text, creator }: Traits): boolean =>
  [checks.all, checks.any, checks.none].some((ids) => (ids?.length ?? 0) > 0) ||
  Object.keys(features ?? {}).length > 0 ||
  text !== undefined ||
  creator !== undefined;
