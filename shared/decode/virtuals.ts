import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import { type EventDecoder, eventDecoder, NOTHING } from './logShape.ts';

const protocol = 'virtuals';

/**
 * The bonding curves of Virtuals: a pair each, created by the contract through which they are traded; the token is
 * token0. Data missing in a log is found in other logs of the same transaction: see `completeCurves`.
 */
export const virtuals: readonly EventDecoder[] = [
  eventDecoder(
    'event Launched(address indexed token0, address indexed pool, uint256 _count)',
    (args, { address: factory }, place) => {
      return { kind: 'poolCreated', protocol, factory, ...args, token1: ZERO_ADDRESS, ...place };
    },
  ),
  // Logged by the pair, its initial amounts: reserves, of which nobody paid the second.
  eventDecoder('event Mint(uint256 amount0, uint256 amount1)', (args, { address: pool }, place) => {
    return { kind: 'mint', protocol, pool, sender: ZERO_ADDRESS, ...args, ...place };
  }),
  // Logged by the pair.
  eventDecoder(
    'event Swap(uint256 amount0In, uint256 amount0Out, uint256 amount1In, uint256 amount1Out)',
    (args, { address: pool }, place) => {
      const ends = { sender: ZERO_ADDRESS, to: ZERO_ADDRESS };
      return { kind: 'swap', protocol, pool, ...ends, ...args, ...place };
    },
  ),
  // Holders get the other token, which has a pool.
  eventDecoder(
    'event Graduated(address indexed token0, address token1)',
    (args, { address: manager }, place) => {
      const amounts = { amount0: NOTHING, amount1: NOTHING };
      return {
        kind: 'graduated',
        protocol,
        pool: args.token0,
        manager,
        ...args,
        ...amounts,
        ...place,
      };
    },
  ),
];

/** What the earlier facts of the same transaction say. */
interface Before {
  /**
   * By transaction and pair: its quote token, according to each creation log; several if a contract logged a false
   * one.
   */
  readonly bases: Map<string, Set<Hex>>;
  /** By transaction, pair and amount: who last paid it in tokens, or received them. */
  readonly payers: Map<string, Hex>;
  readonly receivers: Map<string, Hex>;
  /** By transaction: the curve that traded last. */
  readonly traded: Map<Hex, Hex>;
}

const note = (before: Before, fact: Fact): void => {
  if (fact.kind === 'transfer') {
    before.payers.set(`${fact.txHash}${fact.to}${fact.value}`, fact.from);
    before.receivers.set(`${fact.txHash}${fact.from}${fact.value}`, fact.to);
  } else if (fact.kind === 'poolCreated' && fact.protocol === 'uniswap_v2') {
    const key = `${fact.txHash}${fact.pool}${fact.token0}`;
    before.bases.set(key, (before.bases.get(key) ?? new Set()).add(fact.token1));
  } else if (fact.kind === 'swap' && fact.protocol === protocol) {
    before.traded.set(fact.txHash, fact.pool);
  }
};

/** Adds the quote token to a creation, the trader to a trade, and the curve to a graduation. */
const complete = (fact: Fact, before: Before): Fact => {
  if (fact.kind === 'poolCreated') {
    // A contract that calls the launch can log a pair of its own.
    const bases = [...(before.bases.get(`${fact.txHash}${fact.pool}${fact.token0}`) ?? [])];
    return bases.length === 1 ? { ...fact, token1: bases[0] ?? ZERO_ADDRESS } : fact;
  }
  if (fact.kind === 'swap') {
    const { txHash, pool, amount0In, amount0Out } = fact;
    const trader =
      amount0Out === NOTHING
        ? before.payers.get(`${txHash}${pool}${amount0In}`)
        : before.receivers.get(`${txHash}${pool}${amount0Out}`);
    return trader ? { ...fact, sender: trader, to: trader } : fact;
  }
  if (fact.kind === 'graduated') {
    return { ...fact, pool: before.traded.get(fact.txHash) ?? fact.pool };
  }
  return fact;
};

/**
 * Completes the curves of a block in place, from earlier logs of the same transaction. The factory of Virtuals logs a
 * pair in the same way as Uniswap V2: a pair that logged a curve's initial amounts is not a Uniswap V2 pool.
 */
export const completeCurves = (facts: Fact[]): void => {
  const started = new Set<string>();
  let isAny = false;
  for (const fact of facts) {
    if (!('protocol' in fact) || fact.protocol !== protocol) continue;
    isAny = true;
    if (fact.kind === 'mint') started.add(`${fact.txHash}${fact.pool}`);
  }
  if (!isAny) return;
  const before: Before = {
    bases: new Map(),
    payers: new Map(),
    receivers: new Map(),
    traded: new Map(),
  };
  const completed = facts.flatMap((fact) => {
    note(before, fact);
    if (!('protocol' in fact)) return fact;
    if (fact.protocol === protocol) return complete(fact, before);
    const isCurve = fact.kind === 'poolCreated' && started.has(`${fact.txHash}${fact.pool}`);
    return isCurve && fact.protocol === 'uniswap_v2' ? [] : fact;
  });
  facts.splice(0, facts.length, ...completed);
};
