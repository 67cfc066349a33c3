import { addressOfNumber } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { POWERS } from '../../scorer/contract/powers/evidence.ts';
import { findPowers } from '../../scorer/contract/powers/findPowers.ts';
import { codeFunctions } from '../../scorer/contract/probeCalls.ts';
import { selectorOf } from '../../scorer/simulation/evmCode.ts';
import { accountOf, callData, type TrialChain, wordOf } from './trialChain.ts';
import type { TrialContract, TrialWorld } from './trialContracts.ts';

/** A contract with its pool. */
export interface TrialToken extends TrialContract {
  readonly creator: Hex;
  readonly pool: Hex;
}

type Deployed = Omit<TrialToken, 'pool'>;

const { weth, factory } = DEVNET_ADDRESSES;
const DEAD: Hex = '0x000000000000000000000000000000000000dead';
const POOL_WEI = 20n * 10n ** 18n;
const SUPPLY = 10n ** 27n;
/** Uniswap V2 keeps reserves in 112 bits. */
const POOLED_SUPPLY_MAX = 2n ** 100n;
/**
 * An account's balance in a token that counts in shares of its supply: about an eighth of the largest number.
 */
const SHARES = 2n ** 253n;
const ADDRESS_MASK = (1n << 160n) - 1n;

/** Makes the account to which the code gives powers the creator, if storage names none. */
const appoint = async (chain: TrialChain, { address, code, creator }: Deployed): Promise<void> => {
  const selectors = codeFunctions(code).map(({ selector }) => selector.slice(2));
  const powers = findPowers(code, selectors);
  const account = BigInt(creator);
  const holders = POWERS.flatMap((power) => powers[power].findings).flatMap((one) => one.holders);
  for (const holder of holders) {
    const isStored = holder.kind === 'stored';
    const place = holder.kind === 'entered' ? holder.slotOf(account) : undefined;
    const slot = isStored ? holder.slot : place;
    if (slot === undefined) continue;
    const before = await chain.load(address, wordOf(slot));
    const shift = isStored ? BigInt(holder.shift) : 0n;
    if (((before >> shift) & ADDRESS_MASK) !== 0n) continue;
    await chain.store(address, wordOf(slot), before | (isStored ? account << shift : 1n));
  }
};

/** Sets code and storage, a supply if unknown, and an owner if a token must have one but has none. */
const deploy = async (chain: TrialChain, token: Deployed, isOwned: boolean): Promise<void> => {
  const { address, creator } = token;
  await chain.endow(creator);
  await chain.place(address, token);
  const supply = selectorOf('totalSupply()');
  if (!(await chain.view(address, supply))) {
    await chain.makeAnswer(address, supply, [SUPPLY], (answer) => answer === SUPPLY);
  }
  if (!isOwned) return;
  const account = BigInt(creator);
  for (const owner of ['owner()', 'getOwner()'].map(selectorOf)) {
    if ((await chain.view(address, owner)) !== 0n) continue;
    await chain.makeAnswer(address, owner, [account, account << 8n], (is) => is === account);
  }
  await appoint(chain, token);
};

/**
 * Puts half of the supply into the pool and a tenth into the creator's wallet. @returns whether the pool received it
 */
const fill = async (
  chain: TrialChain,
  { address, pool, creator }: TrialToken,
): Promise<boolean> => {
  const supply = (await chain.view(address, selectorOf('totalSupply()'))) || SUPPLY;
  const pooled = supply < POOLED_SUPPLY_MAX ? supply : POOLED_SUPPLY_MAX;
  const give = (holder: Hex, amount: bigint): Promise<boolean> =>
    chain.makeAnswer(
      address,
      callData('balanceOf(address)', [holder]),
      [amount, SHARES],
      (answer) => answer >= amount / 2n && answer <= 2n * supply,
    );
  await give(creator, pooled / 10n);
  return give(pool, pooled / 2n);
};

const pairsOf = async (chain: TrialChain, tokens: readonly Deployed[]): Promise<TrialToken[]> => {
  const answers = await chain.views(
    tokens.map(({ address }) => ({
      to: factory,
      data: callData('getPair(address,address)', [address, weth]),
    })),
  );
  return tokens.flatMap((token, i) => {
    const pair = answers[i];
    return pair ? [{ ...token, pool: addressOfNumber(pair) }] : [];
  });
};

/** The creators add ether to the pools and give up their liquidity shares. */
const addLiquidity = async (chain: TrialChain, tokens: readonly TrialToken[]): Promise<void> => {
  await chain.send(
    tokens.flatMap(({ creator, pool }) => [
      { from: creator, to: weth, data: callData('transfer(address,uint256)', [pool, POOL_WEI]) },
      { from: creator, to: pool, data: callData('mint(address)', [creator]) },
    ]),
  );
  const shares = await chain.views(
    tokens.map(({ pool, creator }) => ({
      to: pool,
      data: callData('balanceOf(address)', [creator]),
    })),
  );
  await chain.send(
    tokens.map(({ creator, pool }, i) => ({
      from: creator,
      to: pool,
      data: callData('transfer(address,uint256)', [DEAD, shares[i] ?? 0n]),
    })),
  );
};

/** Deploys contracts, and opens a pool for each. @returns those that have one */
export const launchTrial = async (
  chain: TrialChain,
  { contracts, others }: TrialWorld,
  isOwned: (contract: TrialContract) => boolean,
): Promise<TrialToken[]> => {
  for (const [address, account] of others) await chain.place(address, account);
  const tokens = contracts.map((contract) => {
    return { ...contract, creator: accountOf(`creator of ${contract.address}`) };
  });
  for (const token of tokens) await deploy(chain, token, isOwned(token));
  await chain.send(
    tokens.flatMap(({ address, creator }) => [
      {
        from: creator,
        to: factory,
        data: callData('createPair(address,address)', [address, weth]),
      },
      { from: creator, to: weth, data: callData('deposit()'), value: POOL_WEI },
    ]),
  );
  const filled: TrialToken[] = [];
  for (const token of await pairsOf(chain, tokens)) {
    if (await fill(chain, token)) filled.push(token);
  }
  await addLiquidity(chain, filled);
  return filled;
};
