import { type Address, parseEther } from 'viem';
import type {
  Devnet,
  DevnetToken,
  TokenKind,
  TokenOptions,
} from '../../shared/testing/devnet/createDevnet.ts';
import type { DevnetTransaction } from '../../shared/testing/devnet/devnetNode.ts';

/** The tokens of the demo by their behaviour. */
export type Zoo = Record<keyof typeof BEHAVIOURS, DevnetToken>;

/** The behaviour of each token of the zoo, in the order of the table. */
export const BEHAVIOURS = {
  honest: 'honest',
  honeypot: 'sales revert',
  tax: '25 % sell tax',
  mint: 'hidden mint',
  pull: 'liquidity pull',
} as const;

/** The creators differ, so that a bad reputation does not affect the honest token. */
const CREATORS = { honest: 0, honeypot: 1, tax: 2, mint: 3, pull: 4 } as const;
/** Traders are accounts of the devnet's mnemonic from this index on. */
const FIRST_TRADER = 10;
const TRADER_COUNT = 60;
const TRADER_ETHER = '100';
const ROUNDS = 40;
const ROUND_SECONDS = 90;
/** How far the chain's clock advances while tokens are traded. */
export const TRADES_SECONDS = ROUNDS * ROUND_SECONDS;
/** The frauds trade only in every third round, including the last one. */
const FRAUD_PERIOD = 3;
/** The honest market rises until the first of these rounds, falls until the second, then is flat. */
const [RISE_END, FALL_END] = [14, 24];
const FRAUD_POOL_ETHER = 30;
const RENOUNCED: Address = '0x000000000000000000000000000000000000dead';

/** Deploys the zoo, each token with a pool, and gives the traders ETH to buy with. */
export const openZoo = async (devnet: Devnet): Promise<Zoo> => {
  for (let trader = 0; trader < TRADER_COUNT; trader += 1) {
    await devnet.setBalance(devnet.address(FIRST_TRADER + trader), parseEther(TRADER_ETHER));
  }
  const honest = await devnet.deployToken('honest', {
    creator: CREATORS.honest,
    name: 'Honest Hen',
    symbol: 'HEN',
    supply: 1_000,
  });
  await devnet.addLiquidity(honest, 5, 0.9);
  await devnet.burnLiquidity(honest);
  await devnet.transferOwnership(honest, RENOUNCED);

  const launch = async (kind: TokenKind, options: TokenOptions): Promise<DevnetToken> => {
    const token = await devnet.deployToken(kind, options);
    await devnet.addLiquidity(token, FRAUD_POOL_ETHER, 0.8);
    return token;
  };
  return {
    honest,
    honeypot: await launch('honeypot', {
      creator: CREATORS.honeypot,
      name: 'Honey Trap',
      symbol: 'TRAP',
    }),
    tax: await launch('tax', { creator: CREATORS.tax, name: 'Tax Toad', symbol: 'TOAD' }),
    mint: await launch('hiddenMint', { creator: CREATORS.mint, name: 'Mint Mole', symbol: 'MOLE' }),
    pull: await launch('ruggable', { creator: CREATORS.pull, name: 'Rug Rat', symbol: 'RAT' }),
  };
};

/**
 * An hour of trades, a block every minute and a half, each token touched in the last block.
 * @returns the number of that block
 */
export const tradeForAnHour = async (
  devnet: Devnet,
  zoo: Zoo,
  onRound: (round: number, rounds: number) => void,
): Promise<number> => {
  let lastBlock = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const trades = await devnet.batch(() => [
      ...honestTrades(devnet, zoo.honest.address, round),
      ...(round % FRAUD_PERIOD === 0 ? fraudTrades(devnet, zoo, round) : []),
    ]);
    await devnet.increaseTime(ROUND_SECONDS);
    lastBlock = trades.at(-1)?.blockNumber ?? lastBlock;
    onRound(round + 1, ROUNDS);
  }
  return lastBlock;
};

/** As in a healthy market: many small buyers, and as many who sell. */
const honestTrades = (
  devnet: Devnet,
  token: Address,
  round: number,
): Promise<DevnetTransaction>[] => {
  const newcomer = FIRST_TRADER + round;
  const eth = 0.3517 + ((round * 7) % 10) / 20;
  if (round === 0) return [devnet.buy(token, newcomer, eth)];
  if (round < RISE_END) {
    return [
      devnet.buy(token, newcomer, eth),
      devnet.buy(token, FIRST_TRADER + ROUNDS + round, eth),
      devnet.sell(token, FIRST_TRADER + Math.floor(round / 2), 0.4),
    ];
  }
  if (round < FALL_END) {
    const leaver = FIRST_TRADER + 1 + round - RISE_END;
    return [
      devnet.buy(token, newcomer, eth / 5),
      devnet.sell(token, leaver, 0.7),
      devnet.sell(token, leaver + ROUNDS, 0.7),
    ];
  }
  const holder = FIRST_TRADER + ROUNDS + 1 + ((round - FALL_END) % (RISE_END - 1));
  return [devnet.buy(token, newcomer, eth / 3), devnet.sell(token, holder, 0.6)];
};

/** Purchases with hardly a sale: the holders of the honeypot try, and fail. */
const fraudTrades = (devnet: Devnet, zoo: Zoo, round: number): Promise<DevnetTransaction>[] => {
  const { honeypot, tax, mint, pull } = zoo;
  const tokens = [honeypot, tax, mint, pull].map(({ address }) => address);
  const buyer = FIRST_TRADER + round;
  const purchases = tokens.map(async (token) => devnet.buy(token, buyer, 0.5 + (round % 2) / 2));
  if (round === 0 || round % (4 * FRAUD_PERIOD) !== 0) return purchases;
  const seller = buyer - FRAUD_PERIOD;
  return [...purchases, ...tokens.map(async (token) => devnet.sell(token, seller, 0.5))];
};

/** The last action of each token: its time to a verdict is measured from this transaction. */
export const LAST_ACTS: Record<
  keyof Zoo,
  (devnet: Devnet, token: DevnetToken) => Promise<DevnetTransaction>
> = {
  honest: async (devnet, { address }) => devnet.sell(address, FIRST_TRADER + RISE_END, 0.5),
  // A sale that reverts leaves no log; the next victim's purchase does.
  honeypot: async (devnet, { address }) => {
    await devnet.sell(address, FIRST_TRADER, 1);
    return devnet.buy(address, FIRST_TRADER + 1, 0.5);
  },
  tax: async (devnet, { address }) => devnet.sell(address, FIRST_TRADER, 1),
  mint: async (devnet, token) => {
    const owner = devnet.address(token.creator);
    await devnet.mintHidden(token, owner, parseEther('100000000'));
    return devnet.sell(token.address, token.creator, 1);
  },
  pull: async (devnet, token) => {
    await devnet.sell(token.address, token.creator, 1);
    return devnet.removeLiquidity(token);
  },
};
