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
  readonly values?: Readonly<Record<string, unknown>>;
}

const pool = { kind: 'pool' } as const;
const lock = { kind: 'lock' } as const;
const buy = { kind: 'buy' } as const;
const pull = (share: number) => ({ kind: 'pull', share }) as const;
const call = (name: string, ...args: readonly unknown[]) =>
  ({ kind: 'call', call: name, args }) as const;

/** A case is named after its contract where nothing else is said. */
const caseOf =
  (prediction: ZooCase['prediction']) =>
  (kind: TokenKind, fails: readonly string[] = [], more: Partial<ZooCase> = {}): ZooCase => ({
    id: kind,
    kind,
    prediction,
    fails,
    ...more,
  });
const legit = caseOf('LEGIT');
const scam = caseOf('SCAM');

const HONEST: readonly ZooCase[] = [
  legit('honest', [], { id: 'plain' }),
  legit('library'),
  legit('roles', ['mint_power', 'pause_power']),
  legit('regulated', ['mint_power', 'confiscation_power', 'blacklist_power']),
  legit('fairTax'),
  legit('reflection'),
  legit('limitedLaunch'),
  legit('cooldown'),
  legit('opened', [], { steps: [pool, lock, call('openTrading()'), buy] }),
  legit('eip1967', [], { values: { proxy: 'eip1967' } }),
  legit('zeppelin', [], { values: { proxy: 'zeppelin' } }),
  legit('beacon', [], { values: { proxy: 'beacon' } }),
  legit('minimalProxy', [], { values: { proxy: 'eip1167' } }),
  legit('uups', [], { values: { proxy: 'eip1967' } }),
  legit('vesting', [], { advice: 'no_finding' }),
  legit('bridgeMinted', ['mint_power']),
  // Buyers can leave through the pool: they are warned, no more.
  legit('transferTax', ['transfer_tax'], { values: { transfer_tax: 0.5 } }),
  legit('selfDestruct', ['self_destruct']),
  legit('library', [], { id: 'bridged', name: 'Tether USD', symbol: 'USDT' }),
  legit('opened', ['trading_closed'], {
    id: 'beforeLaunch',
    steps: [pool, lock],
    values: { trading_closed: 'before_launch' },
  }),
  legit('neverOpen', ['trading_closed', 'freeze_power']),
];

const FRAUDS: readonly ZooCase[] = [
  scam('roles', ['trading_closed', 'mint_power', 'freeze_power'], {
    id: 'closedToOthers',
    steps: [pool, lock, buy, call('pause()')],
    values: { trading_closed: 'closed_to_others' },
  }),
  scam('honeypot', ['sell_simulation', 'freeze_power']),
  scam('tax', ['trade_tax', 'fee_power']),
  scam('blacklistTrap', ['sell_simulation', 'freeze_power']),
  scam('approvalTrap', ['sell_simulation', 'freeze_power']),
  scam('maxSell', ['sell_simulation']),
  scam('timeGate', ['sell_simulation']),
  scam('timeBomb', ['sell_later']),
  scam('balanceLie', ['sell_simulation']),
  scam('nothingDelivered', ['tokens_delivered']),
  scam('oracleTrap', ['sell_simulation']),
  scam('oracleClone', ['known_scam_code']),
  scam('hiddenMint', ['mint_power']),
  legit('raisedFee', ['fee_power'], { id: 'feeBefore' }),
  scam('raisedFee', ['sell_simulation', 'trade_tax'], {
    id: 'feeRaised',
    steps: [pool, lock, buy, call('setSellFee(uint256)', 95n)],
  }),
  scam('ownerDrain', ['confiscation_power']),
  scam('fakeRenounce', ['hidden_owner', 'freeze_power'], {
    steps: [pool, lock, buy, call('renounceOwnership()')],
  }),
  scam('gasBomb', ['sell_simulation']),
  scam('whitelist', ['sell_simulation', 'freeze_power']),
  scam('ruggable', ['liquidity_drained'], { id: 'pullFast', steps: [pool, buy, pull(1)] }),
  scam('ruggable', ['liquidity_drained'], {
    id: 'pullSlow',
    steps: [pool, buy, ...Array.from({ length: 6 }, () => pull(0.45))],
  }),
  scam('library', ['look_alike'], { id: 'disguise', name: 'Tether USD', symbol: 'USD\u0422' }),
  scam('library', ['name_spam'], {
    id: 'invitation',
    name: '! 5eth.vip',
    symbol: 'Visit https://5eth.vip to claim Airdrop',
    steps: [],
  }),
];

/** The zoo, scams before their copies. */
export const CASES: readonly ZooCase[] = [...FRAUDS, ...HONEST];
