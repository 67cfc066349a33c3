import { CHAIN_PROFILES } from '../../../shared/chain/chains.ts';
import { knownTokenAt } from '../../../shared/names/knownTokens.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { addressEvidence, type CheckOutcome, codeRequest } from './checkResult.ts';

type Listable = Pick<CheckInput, 'chainId' | 'token' | 'bases'>;

/** How an established token is known; undefined for all others. */
const listingOf = ({ chainId, token, bases }: Listable) => {
  const profile = CHAIN_PROFILES.get(chainId);
  const stable = profile?.stables.find(({ address }) => address === token);
  const chain = profile?.name ?? `EIP-155 ${chainId}`;
  if (token === profile?.weth || token === bases[0]) return sentence('listedNative', { chain });
  if (stable) return sentence('listedStable', { symbol: stable.symbol, chain });
  if (bases.includes(token)) return sentence('listedBase');
  const known = knownTokenAt(chainId, token);
  return known && sentence('listed', { known: `${known.name} (${known.symbol})` });
};

/**
 * Whether the token is an established one, by its address. A list is evidence, not a pardon: it outweighs powers, but
 * not proof.
 */
export const isListed = (input: Listable): boolean => listingOf(input) !== undefined;

/** Whether the token is an established one: by address, so that a copied name does not count. */
export const listed = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'info' } as const;
  const reason = listingOf(input);
  if (!reason) return { ...check, status: 'not_applicable', reason: sentence('notListed') };
  const { token, contract } = input;
  const evidence = contract && [
    addressEvidence(token, reason, codeRequest(token, contract.blockNumber)),
  ];
  return { ...check, status: 'pass', value: true, reason, evidence };
};

export const listedCheck = defineCheck({
  id: 'listed',
  role: 'listing',
  question: { topic: 'name', whenPassed: 'yes', inFavour: 1 },
  // Outweighs all circumstances together, but no proof.
  passed: -4,
  failsIf:
    'never: it passes for the wrapped native coin, stablecoins and established tokens, by address',
  severity: 'info',
  run: listed,
});
