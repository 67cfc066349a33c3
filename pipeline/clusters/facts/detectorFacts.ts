import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, EdgeKind, ValueEdge } from '../graph/facts.ts';
import type { BlockGraph, GraphFact, GraphKind } from './graphFact.ts';

/** What the detector calls a kind; what it has no use for is absent. */
const EDGE_KIND: Readonly<Partial<Record<GraphKind, EdgeKind>>> = {
  native: 'native',
  bought: 'bought',
  sold: 'sold',
  token: 'token',
  lpPaid: 'lpRemoved',
  proceeds: 'proceeds',
};
/** Kinds whose value is known to be in native units. */
const VALUED: ReadonlySet<GraphKind> = new Set(['native', 'proceeds']);
/** Characters of `0x` and of the part of a hash that the name of a creation has room for. */
const PREFIX = 2;
const HASH_PART = 24;

/**
 * Name of a token's creation as a piece of the detector's facts: creations may arrive later than the rest of
 * their block, and the detector takes each piece once.
 */
export const creationPiece = (token: Hex, blockHash: Hex): Hex =>
  `${token}${blockHash.slice(PREFIX, PREFIX + HASH_PART)}`;

const edgeOf = ({ kind, from, to, token, value, txHash }: GraphFact): ValueEdge[] => {
  const edgeKind = EDGE_KIND[kind];
  if (!edgeKind || from === to) return [];
  return [
    {
      kind: edgeKind,
      from,
      to,
      value: VALUED.has(kind) ? value : 0,
      token: kind === 'token' ? token : undefined,
      tx: txHash,
    },
  ];
};

/** The facts of a block as the detector takes them: all movements in one piece, each creation in its own. */
export const detectorFacts = ({ number, hash, facts }: BlockGraph): BlockFacts[] => {
  const edges = facts.flatMap(edgeOf);
  const creations = facts.filter(({ kind }) => kind === 'created');
  return [
    ...(edges.length > 0 ? [{ block: { number, hash }, edges, deployments: [] }] : []),
    ...creations.map(({ from, to, txHash, codeHash }) => ({
      block: { number, hash: creationPiece(to, hash) },
      edges: [],
      deployments: [
        {
          token: to,
          creator: from,
          tx: txHash,
          codeHash: /^0x0+$/.test(codeHash) ? undefined : codeHash,
        },
      ],
    })),
  ];
};
