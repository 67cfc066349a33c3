import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput, SimulationParams, TradeLimit, TradeSimulation } from './checkInput.ts';
import { type Evidence, simulationEvidence } from './evidence.ts';

/** Share of a trade kept by the token from which it takes the money. */
const CONFISCATING_TAX_MIN = 0.5;
/** Share of a sale that buyers should know of. */
const HIGH_TAX_MIN = 0.1;
/** Seconds after a purchase up to which a sale counts as possible at once: a few blocks. */
const WAIT_S_MIN = 60;

/** Where it was tried; with all that is needed to repeat it where something failed. */
const at = (
  { blockNumber }: { blockNumber: number },
  note: string,
  ...params: readonly SimulationParams[]
): Evidence[] =>
  params.length === 0
    ? [simulationEvidence(blockNumber, note)]
    : params.map((one) => simulationEvidence(blockNumber, note, one));

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Whether a buyer can sell again. */
export const sellSimulation = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'sell_simulation', severity: 'critical' } as const;
  const note = `buy, then sell ${token}`;
  switch (simulation.kind) {
    case 'unknown':
      return { ...check, status: 'unknown', reason: simulation.reason };
    case 'buyFails': {
      const reason = `A simulated purchase fails: ${simulation.reason}. Trading may not be open.`;
      return { ...check, status: 'unknown', reason, evidence: at(simulation, note) };
    }
    case 'sellFails': {
      const isLimit = simulation.limits.length > 0;
      const small = isLimit
        ? ' A ten-thousandth of it can: sales are limited to next to nothing.'
        : '';
      const reason = `A bought token cannot be sold: ${simulation.reason}.${small}`;
      const evidence = at(simulation, note, simulation.shownBy);
      return { ...check, status: 'fail', value: 1, reason, evidence };
    }
    case 'traded': {
      const outcome = tradedOutcome(simulation);
      const params = outcome.status === 'fail' ? [simulation.shownBy.sale] : [];
      return { ...check, ...outcome, evidence: at(simulation, note, ...params) };
    }
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
  const params = status === 'fail' ? [simulation.shownBy.sale] : [];
  const evidence = at(simulation, `buy, then sell ${token}`, ...params);
  return { ...check, status, value, reason, evidence };
};

/** Whether sending tokens to another wallet costs, or fails. */
export const transferTax = ({ simulation, token }: CheckInput): Check => {
  const check = { id: 'transfer_tax', severity: 'warning' } as const;
  if (simulation.kind !== 'traded' || simulation.transfer.kind === 'unreadable') {
    return { ...check, status: 'unknown', reason: 'No transfer could be simulated.' };
  }
  const { transfer, shownBy } = simulation;
  const note = `buy ${token}, then send it to another wallet`;
  if (transfer.kind === 'failed') {
    const reason = `A transfer from one wallet to another fails: ${transfer.reason}.`;
    return { ...check, status: 'fail', reason, evidence: at(simulation, note, shownBy.transfer) };
  }
  const value = Math.round(transfer.tax * 10_000) / 10_000;
  const reason = `A transfer from one wallet to another costs ${percent(transfer.tax)}.`;
  const status = value >= HIGH_TAX_MIN ? 'fail' : 'pass';
  const params = status === 'fail' ? [shownBy.transfer] : [];
  return { ...check, status, value, reason, evidence: at(simulation, note, ...params) };
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
  const { limits } = simulation;
  const note = `buy ${token} several times, then sell it`;
  if (limits.length === 0) {
    const reason = 'No limit of trades was met.';
    return { ...check, status: 'pass', reason, evidence: at(simulation, note) };
  }
  const value = Math.min(...limits.map(({ share }) => share));
  const met = limits.map(({ kind, share }) => `${LIMIT[kind]} of ${percent(share)} of the pool`);
  const params = simulation.kind === 'traded' ? simulation.shownBy.limits : [simulation.shownBy];
  const reason = `What fails: ${met.join('; ')}.`;
  return { ...check, status: 'fail', value, reason, evidence: at(simulation, note, ...params) };
};
