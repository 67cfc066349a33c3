import type { RpcOutcome } from './jsonRpc.ts';

/** Reverts carry text of the contract, which may say anything. */
const REVERTED_CODE = 3;
const REVERTED = /revert/i;

/** Whether a call failed because the contract that was called said no: an answer, and no failure of the node. */
export const isReverted = (outcome: Extract<RpcOutcome, { ok: false }>): boolean =>
  outcome.code === REVERTED_CODE || REVERTED.test(outcome.message);
