import type { Tier } from '../../../shared/accounts/tier.ts';
import type { Style } from '../../server/endpoint.ts';

/** A parameter: name, where, type, whether required, rule. */
export type ParameterRow = readonly [
  name: string,
  where: string,
  type: string,
  required: string,
  rule: string,
];
/** A field: path (`a.b`, `a[].b`), type, whether required, rule. */
export type FieldRow = readonly [path: string, type: string, required: string, rule: string];

/** One operation of the contract. */
export interface OperationRow {
  readonly method: string;
  readonly path: string;
  readonly style: Style;
  readonly lowestTier: Tier;
  readonly success: number;
  readonly parameters: readonly ParameterRow[];
  readonly body?: readonly FieldRow[];
  readonly isBodyRequired?: boolean;
  /** Fields of `data`, or a type such as `array of Alert`. */
  readonly data: string | readonly FieldRow[];
  readonly hasPagination?: boolean;
  readonly errors: readonly number[];
}
