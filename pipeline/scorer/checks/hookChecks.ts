import type { Hex } from '../../../shared/chain/block.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile, HookProfile, Power } from '../contract/contractProfile.ts';
import { defineCheck, weightOfTake } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import {
  addressEvidence,
  type CheckOutcome,
  type Evidence,
  logsRequest,
  rounded,
  simulationEvidence,
} from './checkResult.ts';
import {
  functionName,
  originOf,
  ownerEvidence,
  powerEvidence,
  proxyEvidence,
} from './contractEvidence.ts';

/**
 * Share of a trade, kept by the pool or its hook, that buyers should know of, and share that takes most of the money.
 */
const HIGH_TAKE_MIN = 0.1;
const CONFISCATING_TAKE_MIN = 0.5;

/** Permissions in trades by the last 14 bits of a hook's address (`Hooks` of @uniswap/v4-core 1.0.2). */
const PERMISSIONS = 0x3fff;
const IN_SWAPS = (1 << 7) | (1 << 6);
const TAKES_OF_SWAPS = (1 << 3) | (1 << 2);

/**
 * `Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)`: names the hook of a pool and its fee.
 */
const INITIALIZE = '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438';

/** What a hook may do in trades according to its address and the pool's fee. */
const harmsOf = ({ address, setsFee }: HookProfile): Sentence[] => {
  const allowed = Number(BigInt(address) & BigInt(PERMISSIONS));
  return [
    ...(allowed & IN_SWAPS ? [sentence('harmHookRefuse')] : []),
    ...(allowed & TAKES_OF_SWAPS ? [sentence('harmHookTake')] : []),
    ...(setsFee ? [sentence('harmHookFee')] : []),
  ];
};

/** The Uniswap V4 log that creates a pool. */
const creationLog = (manager: Hex, pool: Hex | null, blockNumber: number) =>
  logsRequest(manager, [INITIALIZE, pool], blockNumber);

/** The pool's first log, which names its hook. */
const namedBy = ({ pool, blockNumber }: ContractProfile, { manager, address }: HookProfile) =>
  addressEvidence(
    address,
    sentence('hookNamed', { pool: pool ?? '' }),
    creationLog(manager, pool, blockNumber),
  );

/** Evidence for who controls the hook: its owner, and where its implementation is named. */
const ruledBy = ({ blockNumber }: ContractProfile, hook: HookProfile): Evidence[] => {
  const { address, owner, proxy } = hook;
  return [
    ...(proxy ? [proxyEvidence(proxy, address, blockNumber)] : []),
    ...(owner.kind === 'held' ? ownerEvidence({ owner, blockNumber }, address) : []),
  ];
};

/** Whether the code behind the hook can be replaced. */
const isReplaceable = ({ proxy }: HookProfile): boolean =>
  proxy !== null && (proxy.slot !== null || proxy.kind === 'eip7702');

const hookPowers = ({ probe }: ContractProfile): readonly Power[] =>
  probe.kind === 'done' ? (probe.hookPowers ?? []) : [];

const provenReason = ({ address }: HookProfile, { kind, caller, selector, value }: Power) =>
  sentence('hookPowerProven', {
    hook: address,
    origin: originOf(caller),
    harm: sentence(kind === 'freeze' ? 'harmFreeze' : 'harmFee'),
    call: functionName(selector),
    effect: kind === 'freeze' ? sentence('effectFreeze') : sentence('effectTax', { share: value }),
  });

/** A sale that fails with the hook and works without it. */
const refusal = ({ simulation, token }: CheckInput): CheckOutcome[] => {
  if (simulation.kind !== 'sellFails' || !simulation.refusedBy) return [];
  const { blockNumber, refusedBy, shownBy } = simulation;
  return [
    {
      status: 'fail',
      severity: 'critical',
      value: 'refuses',
      reason: sentence('hookRefuses', { hook: refusedBy.hook }),
      evidence: [
        simulationEvidence(blockNumber, sentence('buyThenSell', { token }), shownBy),
        simulationEvidence(blockNumber, sentence('withoutHook'), refusedBy.shownBy),
      ],
    },
  ];
};

/** What the pool's hook can do to trades, and who controls it. No check for pools without a hook. */
export const hookPower = (input: CheckInput): CheckOutcome[] => {
  const refused = refusal(input);
  const { contract } = input;
  if (refused.length > 0 || !contract?.hook) return refused;
  const { hook } = contract;
  const check = { severity: 'warning' } as const;
  const harms = harmsOf(hook);
  const named = namedBy(contract, hook);
  const evidence = [named, ...ruledBy(contract, hook)];
  if (harms.length === 0) {
    const reason = sentence('hookIdle', { hook: hook.address });
    return [{ ...check, status: 'pass', value: 'idle', reason, evidence: [named] }];
  }
  const about = { hook: hook.address as string, harms };
  const power = hookPowers(contract)[0];
  if (power) {
    const reason = provenReason(hook, power);
    const shown = powerEvidence(contract, power, input.token, hook.address);
    return [
      {
        severity: power.caller.origin === 'secret' ? 'critical' : 'warning',
        status: 'fail',
        value: power.kind,
        reason,
        evidence: [shown, ...evidence],
      },
    ];
  }
  if (isReplaceable(hook)) {
    const reason = sentence('hookReplaceable', about);
    return [{ ...check, status: 'fail', value: 'replaceable', reason, evidence }];
  }
  const owner: Hex | null = hook.owner.kind === 'held' ? hook.owner.address : null;
  const [value, reason] = owner
    ? ['owned', sentence('hookOwned', { ...about, owner })]
    : ['fixed', sentence('hookFixed', about)];
  return [{ ...check, severity: 'info', status: 'fail', value, reason, evidence }];
};

/** What the hook takes from trades besides the pool's fee. No check for pools without a hook. */
export const hookTax = ({ simulation, contract, token }: CheckInput): CheckOutcome[] => {
  const check = { severity: 'warning' } as const;
  const taken = simulation.kind === 'traded' ? simulation.hook : undefined;
  if (simulation.kind !== 'traded' || !taken) {
    return contract?.hook ? [{ ...check, status: 'unknown', reason: sentence('noTrade') }] : [];
  }
  const { buyTake, sellTake, shownBy } = taken;
  const value = rounded(Math.max(buyTake, sellTake));
  const reason = sentence('hookTakes', { hook: taken.hook, buy: buyTake, sell: sellTake });
  const note = sentence('buyThenSell', { token });
  const { blockNumber } = simulation;
  if (value < HIGH_TAKE_MIN) {
    const evidence = [simulationEvidence(blockNumber, note)];
    return [{ ...check, status: 'pass', value, reason, evidence }];
  }
  const evidence = shownBy.map((params, i) =>
    simulationEvidence(blockNumber, i % 2 === 0 ? note : sentence('withoutHook'), params),
  );
  const severity = value >= CONFISCATING_TAKE_MIN ? 'critical' : 'warning';
  return [{ ...check, severity, status: 'fail', value, reason, evidence }];
};

/**
 * Whether the pool itself keeps much of every trade. No check if the pool's creator could not choose the fee.
 */
export const poolFee = ({ poolFee: fee }: CheckInput): CheckOutcome[] => {
  if (!fee) return [];
  const { share, manager, pool, blockNumber } = fee;
  const request = creationLog(manager, pool, blockNumber);
  const named = addressEvidence(manager, sentence('feeNamed', { pool }), request);
  const check = {
    value: rounded(share),
    reason: sentence('poolKeeps', { share }),
    evidence: [named],
  };
  const severity = share >= CONFISCATING_TAKE_MIN ? 'critical' : 'warning';
  return [{ ...check, severity, status: share < HIGH_TAKE_MIN ? 'pass' : 'fail' }];
};

export const hookPowerCheck = defineCheck({
  id: 'hook_power',
  // If the hook refuses sales, the token is not to blame.
  excuses: 'sell_simulation',
  question: { topic: 'powers', whenPassed: 'no', isOfHook: true },
  // Only that the code can be replaced; its current behaviour is simulated.
  failed: { logOdds: 0.5, kind: 'circumstance' },
  failsIf:
    'the hook of the pool refuses a sale that works without it, or an account that its code knows only by a hash can stop sales or keep most of their proceeds (critical). An account that controls the hook can stop sales or keep most of their proceeds, as a simulated call shows, or can replace its code (warning). The hook has an owner, or is merely called (`info`)',
  severity: 'critical, warning, info',
  run: hookPower,
});

export const hookTaxCheck = defineCheck({
  id: 'hook_tax',
  measuresTax: true,
  question: { topic: 'selling', whenPassed: 'no', isOfHook: true },
  failed: weightOfTake,
  failsIf: "the pool's hook keeps 10 % of a trade beside the pool's fee; critical from half on",
  severity: 'critical, warning',
  run: hookTax,
});

export const poolFeeCheck = defineCheck({
  id: 'pool_fee',
  question: { topic: 'selling', whenPassed: 'no' },
  failed: weightOfTake,
  failsIf:
    'a pool of Uniswap V4, whose fee whoever opens it chooses, keeps 10 % of a trade; critical from half on',
  severity: 'critical, warning',
  run: poolFee,
});
