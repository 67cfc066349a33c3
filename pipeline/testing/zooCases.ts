import type { Advice } from '../../shared/rules/advice.ts';
import type { TokenKind } from '../../shared/testing/devnet/createDevnet.ts';

/** What a creator or a buyer does with a token of the zoo, in order. */
type Step =
  | { readonly kind: 'pool' }
  | { readonly kind: 'lock' }
  | { readonly kind: 'buy' }
  | { readonly kind: 'pull'; readonly share: number }
  | { readonly kind: 'call'; readonly call: string; readonly args: readonly unknown[] };

/** A token of the zoo with what must come of it. */
export interface ZooCase {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name?: string;
  readonly symbol?: string;
  readonly steps?: readonly Step[];
  readonly prediction: 'SCAM' | 'LEGIT';
  /** Where it differs from: `avoid` a scam, `wait` with everything else, which is minutes old. */
  readonly advice?: Advice;
  /** Checks that fail with more than information, in any order. */
  readonly fails: readonly string[];
  readonly values?: readonly { readonly id: string; readonly value: unknown }[];
}

const pool = { kind: 'pool' } as const;
const lock = { kind: 'lock' } as const;
const buy = { kind: 'buy' } as const;
const call = (name: string, ...args: readonly unknown[]) =>
  ({ kind: 'call', call: name, args }) as const;

const HONEST: readonly ZooCase[] = [
  { id: 'plain', kind: 'honest', prediction: 'LEGIT', fails: [] },
  { id: 'library', kind: 'library', prediction: 'LEGIT', fails: [] },
  { id: 'roles', kind: 'roles', prediction: 'LEGIT', fails: ['mint_power', 'pause_power'] },
  {
    id: 'regulated',
    kind: 'regulated',
    prediction: 'LEGIT',
    fails: ['mint_power', 'confiscation_power', 'blacklist_power'],
  },
  { id: 'fairTax', kind: 'fairTax', prediction: 'LEGIT', fails: [] },
  { id: 'reflection', kind: 'reflection', prediction: 'LEGIT', fails: [] },
  { id: 'limitedLaunch', kind: 'limitedLaunch', prediction: 'LEGIT', fails: [] },
  { id: 'cooldown', kind: 'cooldown', prediction: 'LEGIT', fails: [] },
  {
    id: 'opened',
    kind: 'opened',
    steps: [pool, lock, call('openTrading()'), buy],
    prediction: 'LEGIT',
    fails: [],
  },
  {
    id: 'eip1967',
    kind: 'eip1967',
    prediction: 'LEGIT',
    fails: [],
    values: [{ id: 'proxy', value: 'eip1967' }],
  },
  {
    id: 'zeppelin',
    kind: 'zeppelin',
    prediction: 'LEGIT',
    fails: [],
    values: [{ id: 'proxy', value: 'zeppelin' }],
  },
  {
    id: 'beacon',
    kind: 'beacon',
    prediction: 'LEGIT',
    fails: [],
    values: [{ id: 'proxy', value: 'beacon' }],
  },
  {
    id: 'minimalProxy',
    kind: 'minimalProxy',
    prediction: 'LEGIT',
    fails: [],
    values: [{ id: 'proxy', value: 'eip1167' }],
  },
  {
    id: 'uups',
    kind: 'uups',
    prediction: 'LEGIT',
    fails: [],
    values: [{ id: 'proxy', value: 'eip1967' }],
  },
  { id: 'vesting', kind: 'vesting', prediction: 'LEGIT', advice: 'no_finding', fails: [] },
  { id: 'bridgeMinted', kind: 'bridgeMinted', prediction: 'LEGIT', fails: ['mint_power'] },
  {
    id: 'transferTax',
    kind: 'transferTax',
    // Buyers can leave through the pool: they are warned, no more.
    prediction: 'LEGIT',
    fails: ['transfer_tax'],
    values: [{ id: 'transfer_tax', value: 0.5 }],
  },
  { id: 'selfDestruct', kind: 'selfDestruct', prediction: 'LEGIT', fails: ['self_destruct'] },
  {
    id: 'bridged',
    kind: 'library',
    name: 'Tether USD',
    symbol: 'USDT',
    prediction: 'LEGIT',
    fails: [],
  },
  {
    id: 'beforeLaunch',
    kind: 'opened',
    steps: [pool, lock],
    prediction: 'LEGIT',
    fails: ['trading_closed'],
    values: [{ id: 'trading_closed', value: 'before_launch' }],
  },
  {
    id: 'neverOpen',
    kind: 'neverOpen',
    prediction: 'LEGIT',
    fails: ['trading_closed', 'freeze_power'],
  },
];

const FRAUDS: readonly ZooCase[] = [
  {
    id: 'closedToOthers',
    kind: 'roles',
    steps: [pool, lock, buy, call('pause()')],
    prediction: 'SCAM',
    fails: ['trading_closed', 'mint_power', 'freeze_power'],
    values: [{ id: 'trading_closed', value: 'closed_to_others' }],
  },
  {
    id: 'honeypot',
    kind: 'honeypot',
    prediction: 'SCAM',
    fails: ['sell_simulation', 'freeze_power'],
  },
  { id: 'tax', kind: 'tax', prediction: 'SCAM', fails: ['trade_tax', 'fee_power'] },
  {
    id: 'blacklistTrap',
    kind: 'blacklistTrap',
    prediction: 'SCAM',
    fails: ['sell_simulation', 'freeze_power'],
  },
  {
    id: 'approvalTrap',
    kind: 'approvalTrap',
    prediction: 'SCAM',
    fails: ['sell_simulation', 'freeze_power'],
  },
  { id: 'maxSell', kind: 'maxSell', prediction: 'SCAM', fails: ['sell_simulation'] },
  { id: 'timeGate', kind: 'timeGate', prediction: 'SCAM', fails: ['sell_simulation'] },
  { id: 'timeBomb', kind: 'timeBomb', prediction: 'SCAM', fails: ['sell_later'] },
  { id: 'balanceLie', kind: 'balanceLie', prediction: 'SCAM', fails: ['sell_simulation'] },
  {
    id: 'nothingDelivered',
    kind: 'nothingDelivered',
    prediction: 'SCAM',
    fails: ['tokens_delivered'],
  },
  { id: 'oracleTrap', kind: 'oracleTrap', prediction: 'SCAM', fails: ['sell_simulation'] },
  { id: 'oracleClone', kind: 'oracleClone', prediction: 'SCAM', fails: ['known_scam_code'] },
  { id: 'hiddenMint', kind: 'hiddenMint', prediction: 'SCAM', fails: ['mint_power'] },
  { id: 'feeBefore', kind: 'raisedFee', prediction: 'LEGIT', fails: ['fee_power'] },
  {
    id: 'feeRaised',
    kind: 'raisedFee',
    steps: [pool, lock, buy, call('setSellFee(uint256)', 95n)],
    prediction: 'SCAM',
    fails: ['sell_simulation', 'trade_tax'],
  },
  { id: 'ownerDrain', kind: 'ownerDrain', prediction: 'SCAM', fails: ['confiscation_power'] },
  {
    id: 'fakeRenounce',
    kind: 'fakeRenounce',
    steps: [pool, lock, buy, call('renounceOwnership()')],
    prediction: 'SCAM',
    fails: ['hidden_owner', 'freeze_power'],
  },
  { id: 'gasBomb', kind: 'gasBomb', prediction: 'SCAM', fails: ['sell_simulation'] },
  {
    id: 'whitelist',
    kind: 'whitelist',
    prediction: 'SCAM',
    fails: ['sell_simulation', 'freeze_power'],
  },
  {
    id: 'pullFast',
    kind: 'ruggable',
    steps: [pool, buy, { kind: 'pull', share: 1 }],
    prediction: 'SCAM',
    fails: ['liquidity_drained'],
  },
  {
    id: 'pullSlow',
    kind: 'ruggable',
    steps: [
      pool,
      buy,
      ...Array.from({ length: 6 }, () => ({ kind: 'pull', share: 0.45 }) as const),
    ],
    prediction: 'SCAM',
    fails: ['liquidity_drained'],
  },
  {
    id: 'disguise',
    kind: 'library',
    name: 'Tether USD',
    symbol: 'USD\u0422',
    prediction: 'SCAM',
    fails: ['look_alike'],
  },
  {
    id: 'invitation',
    kind: 'library',
    name: '! 5eth.vip',
    symbol: 'Visit https://5eth.vip to claim Airdrop',
    steps: [],
    prediction: 'SCAM',
    fails: ['name_spam'],
  },
];

/** The zoo, scams before their copies. */
export const CASES: readonly ZooCase[] = [...FRAUDS, ...HONEST];
