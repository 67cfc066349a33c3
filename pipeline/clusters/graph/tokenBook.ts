import type { Hex } from '../../../shared/chain/block.ts';

/** A deployment held; wallets and tokens are numbers of the wallet table. */
export interface TokenBirth {
  readonly token: number;
  readonly creator: number;
  readonly block: number;
  readonly tx: Hex | null;
  readonly codeHash: Hex | undefined;
}

/** A creator of so many tokens of which so few are scams is a factory or a launch service, not a ring. */
const SERVICE_TOKENS_MIN = 20;
const SERVICE_SCAM_RATE_MAX = 0.1;

/** Deployers of one bytecode beyond which it is a template that everybody copies. */
const TEMPLATE_DEPLOYERS_MAX = 20;

/** Who deployed what, and which of it is a scam. Plain Maps: tokens are some thousandths of the edges. */
export const createTokenBook = () => {
  const births = new Map<number, TokenBirth[]>();
  const byCreator = new Map<number, TokenBirth[]>();
  const byCode = new Map<Hex, TokenBirth[]>();
  const scams = new Map<number, boolean>();

  const push = <K>(map: Map<K, TokenBirth[]>, key: K, birth: TokenBirth): void => {
    const list = map.get(key);
    if (list) list.push(birth);
    else map.set(key, [birth]);
  };
  const drop = <K>(map: Map<K, TokenBirth[]>, key: K, birth: TokenBirth): void => {
    const rest = (map.get(key) ?? []).filter((held) => held !== birth);
    if (rest.length > 0) map.set(key, rest);
    else map.delete(key);
  };

  return {
    add: (birth: TokenBirth): void => {
      push(births, birth.token, birth);
      push(byCreator, birth.creator, birth);
      if (birth.codeHash !== undefined) push(byCode, birth.codeHash, birth);
    },
    remove: (birth: TokenBirth): void => {
      drop(births, birth.token, birth);
      drop(byCreator, birth.creator, birth);
      if (birth.codeHash !== undefined) drop(byCode, birth.codeHash, birth);
    },
    judge: (token: number, isScam: boolean): void => void scams.set(token, isScam),
    isScam: (token: number): boolean => scams.get(token) === true,
    isToken: (wallet: number): boolean => births.has(wallet),
    birthOf: (token: number): TokenBirth | undefined => births.get(token)?.[0],
    createdBy: (creator: number): readonly TokenBirth[] => byCreator.get(creator) ?? [],
    creators: (): IterableIterator<number> => byCreator.keys(),
    /** Other tokens of the same bytecode, none where it is a common template. */
    twinsOf: (birth: TokenBirth): readonly TokenBirth[] => {
      const twins = birth.codeHash === undefined ? [] : (byCode.get(birth.codeHash) ?? []);
      return twins.length > TEMPLATE_DEPLOYERS_MAX ? [] : twins;
    },
    /** Whether a wallet deployed a scam and is not a launch service. */
    isScammer: (creator: number): boolean => {
      const created = byCreator.get(creator);
      if (!created) return false;
      const count = created.filter(({ token }) => scams.get(token) === true).length;
      const isService =
        created.length >= SERVICE_TOKENS_MIN && count / created.length < SERVICE_SCAM_RATE_MAX;
      return count > 0 && !isService;
    },
  };
};
export type TokenBook = ReturnType<typeof createTokenBook>;
