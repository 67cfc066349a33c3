import { type Address, parseEther } from 'viem';
import type { Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import type { DevnetToken } from '../../shared/testing/devnet/tokenVerbs.ts';
import type { DevnetTransaction } from '../../shared/testing/devnet/waitForReceipt.ts';

/** The tokens of the demo by what they do. */
export type Zoo = Record<keyof typeof BEHAVIOURS, DevnetToken>;

/** What each token of the zoo does, in the order of the table. */
export const BEHAVIOURS = {
  honest: 'honest: many holders, two-sided trades, pool shares burned',
  honeypot: 'honeypot: a sale reverts',
  tax: 'takes 25 % of a sale',
  mint: 'hidden mint, sold into the pool',
  pull: 'creator pulls the liquidity',
} as const;

/** The creators differ, so that the name of one does not rub off on the honest token. */
const CREATORS = { honest: 0, honeypot: 1, tax: 2, mint: 3, pull: 4 } as const;
/** Traders are accounts of the devnet's mnemonic from this index on. */
const FIRST_TRADER = 10;
const ROUNDS = 20;
const ROUND_SECONDS = 180;
const TRADER_COUNT = 2 * ROUNDS;
const TRADER_ETHER = '100';
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
  });
  await devnet.addLiquidity(honest, 20, 0.9);
  await devnet.burnLiquidity(honest);
  await devnet.transferOwnership(honest, RENOUNCED);

  const frauds = [
    ['honeypot', 'Honey Trap', 'TRAP'],
    ['tax', 'Tax Toad', 'TOAD'],
    ['hiddenMint', 'Mint Mole', 'MOLE'],
    ['ruggable', 'Rug Rat', 'RAT'],
  ] as const;
  const creators = [CREATORS.honeypot, CREATORS.tax, CREATORS.mint, CREATORS.pull];
  const deployed: DevnetToken[] = [];
  for (const [index, [kind, name, symbol]] of frauds.entries()) {
    const token = await devnet.deployToken(kind, { creator: creators[index] ?? 0, name, symbol });
    await devnet.addLiquidity(token, 5, 0.8);
    deployed.push(token);
  }
  const [honeypot, tax, mint, pull] = deployed as [
    DevnetToken,
    DevnetToken,
    DevnetToken,
    DevnetToken,
  ];
  return { honest, honeypot, tax, mint, pull };
};

/**
 * An hour of trades, a block every three minutes, each token touched in every block.
 * @returns the number of the last of these blocks
 */
export const tradeForAnHour = async (
  devnet: Devnet,
  zoo: Zoo,
  onRound: (round: number, rounds: number) => void,
): Promise<number> => {
  let lastBlock = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await devnet.increaseTime(ROUND_SECONDS);
    const trades = await devnet.batch(() => tradesOfRound(devnet, zoo, round));
    lastBlock = trades.at(-1)?.blockNumber ?? lastBlock;
    onRound(round + 1, ROUNDS);
  }
  return lastBlock;
};

const tradesOfRound = (devnet: Devnet, zoo: Zoo, round: number): Promise<DevnetTransaction>[] => {
  const { honest, honeypot, tax, mint, pull } = zoo;
  const [newcomer, friend] = [FIRST_TRADER + 2 * round, FIRST_TRADER + 2 * round + 1];
  const trades = [
    devnet.buy(honest.address, newcomer, 0.2 + (round % 4) / 10),
    devnet.buy(honest.address, friend, 0.1 + (round % 3) / 10),
    devnet.buy(honeypot.address, newcomer, 0.1),
    devnet.buy(tax.address, newcomer, 0.1),
    devnet.buy(mint.address, newcomer, 0.1),
    devnet.buy(pull.address, newcomer, 0.3),
    devnet.buy(pull.address, friend, 0.1),
  ];
  if (round < 3) return trades;
  const veteran = FIRST_TRADER + 2 * (round - 3);
  return [
    ...trades,
    devnet.sell(honest.address, veteran, 0.5),
    devnet.sell(honeypot.address, veteran, 0.5),
    devnet.sell(tax.address, veteran, 0.5),
    devnet.sell(mint.address, veteran, 0.3),
    devnet.sell(pull.address, veteran, 0.2),
  ];
};

/** The last act of each token: the transaction from which its time to a verdict is measured. */
export const LAST_ACTS: Record<
  keyof Zoo,
  (devnet: Devnet, token: DevnetToken) => Promise<DevnetTransaction>
> = {
  honest: async (devnet, { address }) => devnet.sell(address, FIRST_TRADER + 1, 0.5),
  // A sale that reverts leaves no log; the purchase of the next victim does.
  honeypot: async (devnet, { address }) => {
    await devnet.sell(address, FIRST_TRADER, 1);
    return devnet.buy(address, FIRST_TRADER + 1, 0.1);
  },
  tax: async (devnet, { address }) => devnet.sell(address, FIRST_TRADER, 1),
  mint: async (devnet, token) => {
    const owner = devnet.address(token.creator);
    await devnet.mintHidden(token, owner, parseEther('10000000'));
    return devnet.sell(token.address, token.creator, 1);
  },
  pull: async (devnet, token) => {
    await devnet.sell(token.address, token.creator, 1);
    return devnet.removeLiquidity(token);
  },
};
