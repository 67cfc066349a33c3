/** What is known of the load of a chain, or of several together. */
export interface ChainLoad {
  readonly name: string;
  /** How many; one when absent. */
  readonly chains?: number;
  /** Of all of them. */
  readonly transactionsPerS: number;
  /** Between two blocks of one of them. */
  readonly blockTimeS: number;
}

/** What was measured of this service: see SIZING.md for where each comes from. */
export interface Measured {
  /** Token events and native transfers that are stored of one transaction. */
  readonly eventsPerTransaction: number;
  /** Events that one core reads, publishes and stores in a second. */
  readonly eventsPerCoreS: number;
  /** Core seconds of one block at the head, verdicts included: an upper bound. */
  readonly coreSPerBlock: number;
  readonly streamBytesPerEvent: number;
  /** Memory of all roles of a chain at their highest. */
  readonly rolesBytes: number;
  /** Tables that grow with the chain. */
  readonly tables: Readonly<
    Record<string, { readonly rowsPerEvent: number; readonly bytesPerRow: number }>
  >;
}

const MIB = 1024 ** 2;
/** Transfers, native transfers, events of pools and of other markets, ownership changes and pools of the recorded blocks, and their transactions. */
const RECORDED_EVENTS = 4_711 + 9_461 + 943 + 167 + 7 + 1;
const RECORDED_TRANSACTIONS = 13_090;

/** Rows and bytes on disk (`system.parts`, one part a table) after a replay of the recorded blocks. */
const TABLES: Readonly<Record<string, readonly [rows: number, bytes: number]>> = {
  fact_transfers: [4_711, 311_071],
  fact_native_transfers: [9_461, 634_499],
  fact_pool_events: [943, 72_408],
  fact_market_events: [167, 37_981],
  graph_facts: [7_160, 482_585],
  graph_neighbours: [16_392, 1_645_169],
  verdict_history: [897, 63_778],
};
const STREAM_BYTES = 3_377_297;

export const MEASURED: Measured = {
  eventsPerTransaction: RECORDED_EVENTS / RECORDED_TRANSACTIONS,
  eventsPerCoreS: 57_900 / 2,
  coreSPerBlock: 2 * 0.317,
  streamBytesPerEvent: STREAM_BYTES / RECORDED_EVENTS,
  rolesBytes: (240 + 286 + 1_700 + 3 * 300) * MIB,
  tables: Object.fromEntries(
    Object.entries(TABLES).map(([name, [rows, bytes]]) => [
      name,
      { rowsPerEvent: rows / RECORDED_EVENTS, bytesPerRow: Math.round(bytes / rows) },
    ]),
  ),
};

/**
 * Transactions a second: of Ethereum as in the recorded blocks of 2023 and later, of the others assumed, of all the mean that CoinGecko
 * found in 2024 for the 17 largest EVM chains on the busiest day of each.
 */
export const CHAINS: readonly ChainLoad[] = [
  { name: 'Ethereum', transactionsPerS: 15, blockTimeS: 12 },
  { name: 'Base', transactionsPerS: 120, blockTimeS: 2 },
  { name: 'BSC', transactionsPerS: 150, blockTimeS: 0.75 },
  { name: 'All of today: 17 chains', chains: 17, transactionsPerS: 17 * 74, blockTimeS: 2 },
  {
    name: 'Ten times that, in ten times the blocks',
    chains: 17,
    transactionsPerS: 10 * 17 * 74,
    blockTimeS: 0.2,
  },
];
