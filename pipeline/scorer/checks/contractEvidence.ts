import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { ContractProfile, Power } from '../contract/contractProfile.ts';
import { knownFunction } from '../contract/knownFunctions.ts';

type Evidence = NonNullable<Check['evidence']>[number];

/** The contract whose code is judged: the implementation, where the token is a proxy. */
const judgedCode = (contract: ContractProfile, token: string): string =>
  contract.proxy?.implementation ?? token;

/** The code of the contract, with what is found where. */
export const bytecodeEvidence = (
  contract: ContractProfile,
  token: string,
  note: string,
): Evidence => ({
  kind: 'bytecode',
  ref: `eth_getCode(${judgedCode(contract, token)})@${contract.blockNumber}`,
  note,
});

/** Who the owner is, by the function that says so. */
export const ownerEvidence = (contract: ContractProfile, token: string): Evidence[] =>
  contract.owner.via === null
    ? []
    : [
        {
          kind: 'call',
          ref: `eth_call(${token})@${contract.blockNumber}`,
          note: `${contract.owner.via} answers ${contract.owner.address}`,
        },
      ];

/** A privileged call that was simulated. */
export const powerEvidence = (power: Power, blockNumber: number, token: string): Evidence => ({
  kind: 'call',
  ref: `eth_simulateV1@${blockNumber}`,
  note: `buy ${token}, then ${functionName(power.selector)} from ${power.caller.address} (${power.caller.origin}) with data ${power.data}, then balances and a sale`,
});

/** The name of a function where it is known, else its selector. */
export const functionName = (selector: string): string =>
  knownFunction(selector as `0x${string}`)?.signature ?? selector;

/** What checks of contracts answer while no contract could be read. */
export const NOT_READ = {
  status: 'unknown',
  reason: 'The contract could not be read.',
} as const;

/** Powers that a probe proved; none where it could not run. */
export const provenPowers = (contract: ContractProfile): readonly Power[] =>
  contract.probe.kind === 'done' ? contract.probe.powers : [];

/** A share as people read it. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
