import { parseEther } from 'viem';
import type { Devnet } from '../devnet/createDevnet.ts';
import type { DevnetToken } from '../devnet/tokenVerbs.ts';
import type { Random } from '../simulation/random.ts';

/** Depth of a reorg at the most: what the node calls final. */
const REORG_DEPTH_MAX = 64;
/** Accounts that trade, and make one token each. */
const TRADERS = 8;
/** Tokens that are final before anything happens to them. */
const TOKENS_AT_START = 3;
/** Pays every creator before it makes its token: what makes rings of those that scam. */
const FUNDER = 9;

const TRANSFER_GAS = 21_000n;

/** Life on a devnet by chance: transfers, pools, trades, pulls of liquidity, new tokens, reorgs. */
export interface DevnetDriver {
  /** Sets the stage: tokens with pools, below more blocks than the deepest reorg takes. */
  prepare(): Promise<void>;
  /**
   * Does one thing. What a reorg made impossible is passed over.
   * @param depthMax depth of a reorg at the most.
   */
  act(depthMax?: number): Promise<void>;
  /** All tokens ever made, also those that a reorg took back. */
  tokens(): readonly DevnetToken[];
  /** What was done so far, by kind. */
  counts(): Readonly<Record<string, number>>;
}

export const createDevnetDriver = (devnet: Devnet, random: Random): DevnetDriver => {
  const tokens: DevnetToken[] = [];
  const counts: Record<string, number> = {};

  const living = async (): Promise<DevnetToken[]> => {
    const codes = await Promise.all(
      tokens.map(({ address }) => devnet.publicClient.getCode({ address })),
    );
    return tokens.filter((_token, i) => codes[i] !== undefined);
  };
  const launch = async (): Promise<void> => {
    // One token a creator: what its other tokens are would weigh in a token's verdict.
    const taken = new Set((await living()).map(({ creator }) => creator));
    const free = Array.from({ length: TRADERS }, (_, i) => i).find((index) => !taken.has(index));
    if (free === undefined) return;
    const creator = free;
    const to = devnet.address(creator);
    await devnet.transact([{ from: FUNDER, to, value: parseEther('1'), gas: TRANSFER_GAS }]);
    const token = await devnet.deployToken(random.pick(['honest', 'ruggable', 'tax']), { creator });
    tokens.push(token);
    await devnet.addLiquidity(token, 5 + random.below(20));
  };
  const reorg = (depthMax: number): Promise<void> => {
    const depth = random.oneIn(5) ? 1 + random.below(depthMax) : 1 + random.below(6);
    return devnet.reorg(Math.min(depth, depthMax));
  };
  const send = (token: DevnetToken): Promise<unknown> => {
    const to = devnet.address(random.below(TRADERS));
    return devnet.transfer(token.address, token.creator, to, parseEther('3'));
  };
  const actions: Readonly<Record<string, (token: DevnetToken) => Promise<unknown>>> = {
    transfer: send,
    give: send,
    buy: (token) => devnet.buy(token.address, random.below(TRADERS), 0.1 + random.below(20) / 10),
    sell: (token) => devnet.sell(token.address, token.creator, 0.1),
    pull: (token) => devnet.removeLiquidity(token, random.pick([0.3, 0.6, 0.95])),
    pool: (token) => devnet.addLiquidity(token, 1 + random.below(20), 0.2),
    own: (token) => devnet.transferOwnership(token, devnet.address(token.creator)),
    launch,
    mine: () => devnet.mine(1 + random.below(4), 1),
  };

  return {
    prepare: async () => {
      await devnet.deployUniswap();
      for (let i = 0; i < TOKENS_AT_START; i += 1) await launch();
      await devnet.mine(REORG_DEPTH_MAX + 2, 1);
    },
    act: async (depthMax = REORG_DEPTH_MAX) => {
      const name = random.pick([...Object.keys(actions), 'reorg']);
      try {
        if (name === 'reorg') await reorg(depthMax);
        else await actions[name]?.(random.pick(await living()));
        counts[name] = (counts[name] ?? 0) + 1;
      } catch {
        // The token, its pool or the coins went with a reorg.
        counts['impossible'] = (counts['impossible'] ?? 0) + 1;
      }
    },
    tokens: () => tokens,
    counts: () => counts,
  };
};
