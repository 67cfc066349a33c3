import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput, TradeLimit, TradeSimulation } from './checkInput.ts';

/** Share of a trade kept by the token from which it takes the money. */
const CONFISCATING_TAX_MIN = 0.5;
/** Share of a sale that buyers should know of. */
const HIGH_TAX_MIN = 0.1;
/** Seconds after a purchase up to which a sale counts as possible at once: a few blocks. */
const WAIT_S_MIN = 60;

const at = (simulation: { blockNumber: number }, token: string) => [
  {
    kind: 'call' as const,
    ref: `eth_simulateV1@${simulation.blockNumber}`,
    note: `buy, then sell ${token}`,
  },
];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Whether a buyer can sell again. */
export const sellSimulation = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'sell_simulation', severity: 'critical' } as const;
  switch (simulation.kind) {
    case 'unknown':
      return { ...check, status: 'unknown', reason: simulation.reason };
    case 'buyFails': {
      const reason = `A simulated purchase fails: ${simulation.reason}. Trading may not be open.`;
      return { ...check, status: 'unknown', reason, evidence: at(simulation, token) };
    }
    case 'sellFails': {
      const isLimit = simulation.limits.length > 0;
      const small = isLimit
        ? ' A ten-thousandth of it can: sales are limited to next to nothing.'
        : '';
      const reason = `A bought token cannot be sold: ${simulation.reason}.${small}`;
      return { ...check, status: 'fail', value: 1, reason, evidence: at(simulation, token) };
    }
    case 'traded':
      return { ...check, ...tradedOutcome(simulation), evidence: at(simulation, token) };
  }
};

const tradedOutcome = (simulation: Extract<TradeSimulation, { kind: 'traded' }>) => {
  const value = Math.round(simulation.sellTax * 10_000) / 10_000;
  if (simulation.buyTax >= CONFISCATING_TAX_MIN) {
    const reason = `A purchase keeps ${percent(simulation.buyTax)} of the tokens.`;
    return { status: 'fail' as const, value, reason };
  }
  if (simulation.sellTax < CONFISCATING_TAX_MIN) {
    return { status: 'pass' as const, value, reason: sellableReason(simulation.sellableAfterS) };
  }
  const reason = `A sale keeps ${percent(simulation.sellTax)} of the amount.`;
  return { status: 'fail' as const, value, reason };
};

const sellableReason = (afterS = 0): string =>
  afterS > WAIT_S_MIN
    ? `A bought token can be sold ${afterS} s after its purchase, but not in the next block.`
    : 'A bought token can be sold.';

/** Whether trading costs more than the pool's own fee. */
export const tradeTax = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'trade_tax', severity: 'warning' } as const;
  if (simulation.kind !== 'traded') {
    return { ...check, status: 'unknown', reason: 'No trade could be simulated.' };
  }
  const { buyTax, sellTax } = simulation;
  const value = Math.round(Math.max(buyTax, sellTax) * 10_000) / 10_000;
  const reason = `Buying costs ${percent(buyTax)} and selling ${percent(sellTax)} beside the pool's fee.`;
  const status = value >= HIGH_TAX_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence: at(simulation, token) };
};

/** Whether sending tokens to another wallet costs, or fails. */
export const transferTax = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'transfer_tax', severity: 'warning' } as const;
  if (simulation.kind !== 'traded' || simulation.transfer.kind === 'unreadable') {
    return { ...check, status: 'unknown', reason: 'No transfer could be simulated.' };
  }
  const evidence = at(simulation, token);
  const { transfer } = simulation;
  if (transfer.kind === 'failed') {
    const reason = `A transfer from one wallet to another fails: ${transfer.reason}.`;
    return { ...check, status: 'fail', reason, evidence };
  }
  const value = Math.round(transfer.tax * 10_000) / 10_000;
  const reason = `A transfer from one wallet to another costs ${percent(transfer.tax)}.`;
  return { ...check, status: value >= HIGH_TAX_MIN ? 'fail' : 'pass', value, reason, evidence };
};

const LIMIT: Readonly<Record<TradeLimit['kind'], string>> = {
  purchase: 'a purchase at once',
  wallet: 'purchases in one block',
  sale: 'a sale at once',
};

/** Whether larger trades fail where a small one works. Honest tokens begin with limits. */
export const tradeLimits = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'trade_limits', severity: 'info' } as const;
  if (simulation.kind !== 'traded' && simulation.kind !== 'sellFails') {
    return { ...check, status: 'unknown', reason: 'No trade could be simulated.' };
  }
  const evidence = at(simulation, token);
  const { limits } = simulation;
  if (limits.length === 0) {
    return { ...check, status: 'pass', reason: 'No limit of trades was met.', evidence };
  }
  const value = Math.min(...limits.map(({ share }) => share));
  const met = limits.map(({ kind, share }) => `${LIMIT[kind]} of ${percent(share)} of the pool`);
  return { ...check, status: 'fail', value, reason: `What fails: ${met.join('; ')}.`, evidence };
};
