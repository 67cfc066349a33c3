import { type Address, parseEther } from 'viem';
import type { Devnet, DevnetToken } from '../../shared/testing/devnet/createDevnet.ts';
import type { DevnetTransaction } from '../../shared/testing/devnet/devnetNode.ts';

/** Wallets of one party, and the tokens whose liquidity they pulled. */
export type RingPlay = {
  wallets: readonly Address[];
  tokens: readonly DevnetToken[];
  /** The last transaction of the ring: the time until the ring is shown is measured from it. */
  transaction: DevnetTransaction;
};

/** Accounts of the devnet's mnemonic beyond the traders of the zoo. */
const MASTER = 70;
const FUNDERS = [71, 72] as const;
const CREATORS = [73, 74, 75] as const;
const PUPPETS = [76, 77] as const;
/** Trades for the victims: a trader of the zoo. */
const VICTIM = 10;
const MASTER_ETHER = '100';
const FUNDER_ETHER = 40;
const WALLET_ETHER = 12;
const POOL_ETHER = 5;
const NAMES = ['Ring Raven', 'Ring Rook', 'Ring Robin'] as const;

/**
 * A master pays two funders, who pay three creators and two puppets. Each creator launches a token, the puppets and a
 * victim buy, the liquidity is removed, and the proceeds flow back to the master.
 */
export const playRing = async (devnet: Devnet): Promise<RingPlay> => {
  const pay = async (from: number, to: number, ether: number): Promise<DevnetTransaction[]> => {
    const value = parseEther(String(ether));
    return devnet.transact([{ from, to: devnet.address(to), value, gas: 21_000n }]);
  };
  await devnet.setBalance(devnet.address(MASTER), parseEther(MASTER_ETHER));
  await devnet.batch(() => FUNDERS.map(async (funder) => pay(MASTER, funder, FUNDER_ETHER)));
  await devnet.batch(() =>
    [...CREATORS, ...PUPPETS].map(async (wallet, i) =>
      pay(FUNDERS[i % FUNDERS.length] ?? MASTER, wallet, WALLET_ETHER),
    ),
  );
  const tokens = await devnet.batch(() =>
    CREATORS.map(async (creator, i) =>
      devnet.deployToken('ruggable', { creator, name: NAMES[i] ?? '', symbol: `RING${i + 1}` }),
    ),
  );
  await devnet.batch(() => tokens.map(async (token) => devnet.addLiquidity(token, POOL_ETHER)));
  await devnet.batch(() =>
    tokens.flatMap(({ address }) =>
      [VICTIM, ...PUPPETS].map(async (buyer) => devnet.buy(address, buyer, 0.5)),
    ),
  );
  await devnet.batch(() => tokens.map(async (token) => devnet.removeLiquidity(token)));
  const proceeds = await devnet.batch(() =>
    CREATORS.map(async (creator) => pay(creator, MASTER, WALLET_ETHER / 2)),
  );
  const [transaction] = proceeds.flat();
  if (!transaction) throw new Error('a ring has creators');
  const accounts = [MASTER, ...FUNDERS, ...CREATORS, ...PUPPETS];
  return { wallets: accounts.map((account) => devnet.address(account)), tokens, transaction };
};
