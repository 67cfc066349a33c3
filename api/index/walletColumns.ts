import type { Range, WalletFilter, WalletHit, WalletPage } from '../search/search.ts';
import { scamShareOf } from '../wallets/wallet.ts';
import type { Ranges } from './listOrders.ts';
import { enlarged, ROWS_MIN } from './rowArrays.ts';
import { type Bounds, boundsOf, createRowKinds, NO_KIND } from './rowKinds.ts';
import { createRowSort } from './rowSort.ts';
import type { Selection } from './selection.ts';
import { createValueCounts } from './valueCounts.ts';

/** What searches show of a wallet, and what it is found by. */
export interface IndexedWallet extends WalletHit {
  readonly isKnownScammer: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  /** Empty: none. */
  readonly clusterId: string;
  readonly firstSeenS: number;
}

/** Properties that filters by role and by number of created tokens distinguish. */
type KindTraits = Pick<IndexedWallet, 'role' | 'isKnownScammer' | 'tokensCreated' | 'scams'>;

/** A filter: risk from 0 to 100, tokens created, US dollars. */
export type WalletSelection = Selection<{
  readonly risk: Bounds;
  readonly made: Bounds;
  readonly stolen: Bounds;
}>;
type Sort = WalletPage['sort'];

export const WALLET_RANGES: Ranges<Sort, WalletSelection['bounds']> = {
  risk_score: ({ risk }) => risk,
  tokens_created: ({ made }) => made,
  total_stolen: ({ stolen }) => stolen,
};

const isWithin = (value: number, { min = value, max = value }: Range = {}): boolean =>
  value >= min && value <= max;

const kindTest =
  ({ roles, isKnownScammer, tokensCreated, scamRate }: WalletFilter) =>
  (traits: KindTraits): boolean =>
    (roles?.includes(traits.role) ?? true) &&
    (isKnownScammer ?? traits.isKnownScammer === 1) === (traits.isKnownScammer === 1) &&
    isWithin(traits.tokensCreated, tokensCreated) &&
    isWithin(scamShareOf(traits), scamRate);

/** Words of an address, four bytes each. */
const PARTS = 5;
const PART_DIGITS = 8;

/** By row: number of its ring, 0 for none, and the time in Unix seconds. */
const createArrays = (rows: number) => ({
  parts: new Uint32Array(rows * PARTS),
  kind: new Uint32Array(rows),
  ring: new Uint32Array(rows),
  firstSeen: new Uint32Array(rows),
  risk: new Float64Array(rows),
  stolen: new Float64Array(rows),
});
type Arrays = ReturnType<typeof createArrays>;

/** Arrays of sort values; the number of created tokens is part of the kind. */
const SORTED = {
  created_at: 'firstSeen',
  risk_score: 'risk',
  total_stolen: 'stolen',
} as const satisfies Partial<Record<Sort, keyof Arrays>>;

/** The placeholder row: a search position is put there to be compared with other rows. */
const PLACE_ROW = 0;

/** Ring numbers by ring id. */
const createRingNumbers = () => {
  const numbers = new Map<string, number>([['', 0]]);
  return {
    of: (id: string): number | undefined => numbers.get(id),
    /** The number of a ring, assigned at first use. */
    give: (id: string): number => {
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      return number;
    },
  };
};

/** Columns of wallets by row number, which is at least 1: all their data, 48 bytes per wallet. */
export const createWalletColumns = () => {
  const kinds = createRowKinds<KindTraits>({
    role: '',
    isKnownScammer: 0,
    tokensCreated: 0,
    scams: 0,
  });
  const rings = createRingNumbers();
  const risks = createValueCounts();
  let arrays = createArrays(ROWS_MIN);
  let end = 1;
  const reserve = (rows: number): void => {
    if (rows > arrays.kind.length) arrays = enlarged(arrays, rows, createArrays);
  };
  const putAddress = (row: number, address: string): void => {
    for (let part = 0; part < PARTS; part += 1) {
      const from = 2 + part * PART_DIGITS;
      arrays.parts[row * PARTS + part] = Number.parseInt(
        address.slice(from, from + PART_DIGITS),
        16,
      );
    }
  };
  const leaveKind = (row: number): void => {
    const { [row]: kind = NO_KIND } = arrays.kind;
    if (kind === NO_KIND) return;
    risks.change(-1, kind, arrays.risk[row] ?? 0);
    kinds.leave(kind);
    arrays.kind[row] = NO_KIND;
  };
  const traitsAt = (row: number): KindTraits => kinds.traitsOf(arrays.kind[row] ?? NO_KIND);
  return {
    kinds,
    rings,
    risks,
    arrays: () => arrays,
    reserve,
    /** One more than the highest row number. */
    end: (): number => end,
    putAddress,
    set: (row: number, wallet: IndexedWallet): void => {
      reserve(row + 1);
      end = Math.max(end, row + 1);
      leaveKind(row);
      const { role, isKnownScammer, tokensCreated, scams, riskScore } = wallet;
      const kind = kinds.enter({ role, isKnownScammer, tokensCreated, scams }, riskScore);
      risks.change(1, kind, riskScore);
      arrays.kind[row] = kind;
      arrays.ring[row] = rings.give(wallet.clusterId);
      arrays.firstSeen[row] = wallet.firstSeenS;
      arrays.risk[row] = riskScore;
      arrays.stolen[row] = wallet.stolenUsd;
      putAddress(row, wallet.address);
    },
    remove: leaveKind,
    madeAt: (row: number): number => traitsAt(row).tokensCreated,
    /** The fields shown of a row. */
    hitAt: (row: number): WalletHit => {
      const parts = arrays.parts.subarray(row * PARTS, (row + 1) * PARTS);
      const digits = Array.from(parts, (part) => part.toString(16).padStart(PART_DIGITS, '0'));
      const [{ role }, riskScore = 0] = [traitsAt(row), arrays.risk[row]];
      return { address: `0x${digits.join('')}`, role, riskScore };
    },
  };
};
type WalletColumns = ReturnType<typeof createWalletColumns>;

/** Sort values of wallets by row; ties are sorted by address. */
export const createWalletSorts = ({ arrays, madeAt, putAddress, end }: WalletColumns) => {
  let placeMade = 0;
  const valueBy = (sort: Sort) =>
    sort === 'tokens_created'
      ? (row: number): number => (row === PLACE_ROW ? placeMade : madeAt(row))
      : (row: number): number => arrays()[SORTED[sort]][row] ?? 0;
  const compareAddresses = (row: number, other: number): number => {
    const { parts } = arrays();
    for (let part = 0; part < PARTS; part += 1) {
      const [a = 0, b = 0] = [parts[row * PARTS + part], parts[other * PARTS + part]];
      if (a !== b) return a - b;
    }
    return 0;
  };
  return {
    compareAddresses,
    comparing: (sort: Sort) => {
      const valueAt = valueBy(sort);
      return (row: number, other: number): number =>
        valueAt(row) - valueAt(other) || compareAddresses(row, other);
    },
    /** Puts a search position into the placeholder row. @returns that row */
    place: (sort: Sort, value: number | string, address: string): number => {
      if (sort === 'tokens_created') placeMade = Number(value);
      else arrays()[SORTED[sort]][PLACE_ROW] = Number(value);
      putAddress(PLACE_ROW, address);
      return PLACE_ROW;
    },
    sorting: (rows: Uint32Array) => {
      const sortBy = createRowSort(rows);
      return (sort: Sort): Uint32Array =>
        sort === 'tokens_created'
          ? sortBy(new Uint32Array(end()).map((_, row) => madeAt(row)))
          : sortBy(arrays()[SORTED[sort]]);
    },
  };
};

/** Which rows are accepted: those of accepted kinds, within bounds. */
interface RowTest {
  readonly accepted: Uint8Array;
  readonly risk: Bounds;
  readonly stolen: Bounds;
  readonly ring: Bounds;
}

/** Returns a test of whether a row is accepted. */
const createRowTest =
  (
    { kind, ring: rings, risk: risks, stolen: amounts }: Arrays,
    {
      accepted,
      risk: [riskFrom, riskTo],
      stolen: [least, most],
      ring: [ringFrom, ringTo],
    }: RowTest,
  ) =>
  (row: number): boolean => {
    if (!accepted[kind[row] ?? NO_KIND]) return false;
    const risk = risks[row] ?? 0;
    const stolen = amounts[row] ?? 0;
    const ring = rings[row] ?? 0;
    const isOfRisk = risk >= riskFrom && risk <= riskTo;
    return isOfRisk && stolen >= least && stolen <= most && ring >= ringFrom && ring <= ringTo;
  };

const ALL: Bounds = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const asked = ({ min, max }: Range = {}): Bounds => [min ?? ALL[0], max ?? ALL[1]];

/** How many of the rows below `end` are accepted. A function call per row would take twice as long. */
const countRows = (
  { kind, ring: rings, risk: risks, stolen: amounts }: Arrays,
  { accepted, risk: [riskFrom, riskTo], stolen: [least, most], ring: [ringFrom, ringTo] }: RowTest,
  end: number,
): number => {
  let total = 0;
  for (let row = 1; row < end; row += 1) {
    const risk = risks[row] ?? 0;
    const stolen = amounts[row] ?? 0;
    const ring = rings[row] ?? 0;
    const isOfRisk = Number(risk >= riskFrom) & Number(risk <= riskTo);
    const isOfAmount = Number(stolen >= least) & Number(stolen <= most);
    const isOfRing = Number(ring >= ringFrom) & Number(ring <= ringTo);
    total += (accepted[kind[row] ?? NO_KIND] ?? 0) & isOfRisk & isOfAmount & isOfRing;
  }
  return total;
};

/** How many rows with a risk between two values pass a test. */
type CountByRisk = (bounds: Bounds, test: (row: number) => boolean) => number;

/** Wallets that a filter accepts. */
export const selectWallets = (
  { arrays, kinds, rings, risks, end }: WalletColumns,
  filter: WalletFilter,
  countByRisk: CountByRisk,
): WalletSelection => {
  const { riskScore, stolenUsd, clusterId } = filter;
  const { accepted, traits, rows, values } = kinds.select(kindTest(filter));
  const [least, most] = asked(riskScore);
  const risk = [Math.max(values[0], least), Math.min(values[1], most)] as const;
  const stolen = asked(stolenUsd);
  const made = boundsOf(traits.map(({ tokensCreated }) => tokensCreated));
  const number = clusterId === undefined ? undefined : (rings.of(clusterId) ?? -1);
  const ring = number === undefined ? ALL : ([number, number] as const);
  const test = { accepted, risk, stolen, ring };
  const accepts = createRowTest(arrays(), test);
  const isWhole = (row: number): boolean => Number.isInteger(arrays().risk[row]);
  const count = (): number => {
    if (stolenUsd !== undefined || clusterId !== undefined) return countRows(arrays(), test, end());
    if (riskScore === undefined) return rows;
    return risks.within(accepted, [least, most], (between) =>
      countByRisk(between, (row) => accepts(row) && !isWhole(row)),
    );
  };
  return {
    accepts,
    end: end(),
    total: count(),
    bounds: { risk, made, stolen },
  };
};
