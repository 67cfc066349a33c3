import { compileContracts } from './compileContracts.ts';
import { createDevnetNode } from './createDevnetNode.ts';
import { deployUniswap } from './deployUniswap.ts';
import { createPoolReads } from './poolReads.ts';
import { createLiquidityVerbs, createTradeVerbs } from './poolVerbs.ts';
import { createDeployVerb, createTokenVerbs } from './tokenVerbs.ts';

export type Devnet = Awaited<ReturnType<typeof createDevnet>>;

/**
 * A chain to play on: a token's life as verbs, made real by the anvil at `url`. Accounts are
 * indices into the default mnemonic; 0 to 9 hold ETH, others get some by `setBalance`. Set-up verbs
 * throw when their transaction reverts; `buy`, `sell` and `transfer` report it as the status,
 * because a sale that reverts is what one wants to see. Tokens of `zooKinds.ts` need `zoo`.
 */
export const createDevnet = async ({
  url,
  chainId,
  zoo = false,
}: {
  url: string;
  chainId?: number;
  zoo?: boolean;
}) => {
  const node = createDevnetNode({ url, ...(chainId !== undefined && { chainId }) });
  const reads = createPoolReads(node);
  const bytecodes = await compileContracts({ zoo });
  return {
    ...node,
    ...reads,
    ...createDeployVerb({ node, bytecodes }),
    ...createTokenVerbs({ node }),
    ...createLiquidityVerbs({ node, reads }),
    ...createTradeVerbs({ node, reads }),
    /** Deploys Uniswap V2 and the WETH/dollar pool, unless the chain has them already. */
    deployUniswap: async (): Promise<void> => deployUniswap({ node, bytecodes }),
  };
};
