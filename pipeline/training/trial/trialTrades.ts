import type { Hex } from '../../../shared/chain/block.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { accountOf, callData, type TrialCall, type TrialChain } from './trialChain.ts';
import type { TrialToken } from './trialLaunch.ts';

const { weth, router } = DEVNET_ADDRESSES;
/** An hour: three purchases, then a sale. */
const STEPS = 40;
const STEP_SECONDS = 90;
const STEPS_PER_SALE = 4;
const FAR_FUTURE_S = 2n ** 40n;
const BUYERS = Array.from({ length: 12 }, (_, i) => accountOf(`buyer ${i}`));

const actorAt = (step: number, i: number): Hex => BUYERS[(step * 5 + i) % BUYERS.length] ?? router;

/** 0.03 to 0.25 ether, the same in every run. */
const weiAt = (step: number): bigint => 10n ** 16n * BigInt(3 + ((step * 7) % 23));

const purchase = (token: Hex, buyer: Hex, value: bigint): TrialCall => ({
  from: buyer,
  to: router,
  data: callData(
    'swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)',
    [0n, [weth, token], buyer, FAR_FUTURE_S],
  ),
  value,
});

const sale = (token: Hex, seller: Hex, amount: bigint): TrialCall => ({
  from: seller,
  to: router,
  data: callData(
    'swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
    [amount, 0n, [token, weth], seller, FAR_FUTURE_S],
  ),
});

/** The wallet that bought three steps ago sells half. */
const salesOf = async (
  chain: TrialChain,
  tokens: readonly TrialToken[],
  step: number,
): Promise<TrialCall[]> => {
  const seller = (i: number): Hex => actorAt(step - STEPS_PER_SALE + 1, i);
  const held = await chain.views(
    tokens.map(({ address }, i) => ({
      to: address,
      data: callData('balanceOf(address)', [seller(i)]),
    })),
  );
  return tokens.map(({ address }, i) => sale(address, seller(i), (held[i] ?? 0n) / 2n));
};

/** An hour of ordinary purchases and sales, the same for every token. @param startS Unix seconds */
export const tradeTrial = async (
  chain: TrialChain,
  tokens: readonly TrialToken[],
  startS: number,
): Promise<void> => {
  for (const buyer of BUYERS) {
    await chain.endow(buyer);
    const data = callData('approve(address,uint256)', [router, 2n ** 255n]);
    await chain.send(tokens.map(({ address }) => ({ from: buyer, to: address, data })));
  }
  for (let step = 0; step < STEPS; step += 1) {
    await chain.nextBlockAt(startS + (step + 1) * STEP_SECONDS);
    const isSale = step % STEPS_PER_SALE === STEPS_PER_SALE - 1;
    await chain.send(
      isSale
        ? await salesOf(chain, tokens, step)
        : tokens.map(({ address }, i) => purchase(address, actorAt(step, i), weiAt(step))),
    );
  }
};
