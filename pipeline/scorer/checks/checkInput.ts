import type { Hex } from '../../../shared/chain/block.ts';
import type { ValuedPool } from '../verdict/tokenFeatures.ts';

/** What a simulated purchase and sale showed. Taxes are shares from 0 to 1. */
export type TradeSimulation =
  | {
      readonly kind: 'traded';
      readonly blockNumber: number;
      readonly buyTax: number;
      readonly sellTax: number;
      /** Seconds after the purchase at which the sale worked; more than a block is a waiting time. */
      readonly sellableAfterS?: number;
    }
  | { readonly kind: 'buyFails'; readonly blockNumber: number; readonly reason: string }
  | { readonly kind: 'sellFails'; readonly blockNumber: number; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What all checks of one token look at. */
export interface CheckInput {
  readonly token: Hex;
  readonly pool: ValuedPool | undefined;
  /** Calibrated probability of the model alone. */
  readonly modelProbability: number;
  /** Share of pools of this age that were drained within a week: the model's prior. */
  readonly priorProbability: number;
  readonly topTenConcentration: number;
  readonly holderCount: number;
  readonly simulation: TradeSimulation;
}
