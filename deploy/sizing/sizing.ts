import type { ChainLoad, Measured } from './figures.ts';

/** What a chain, or several together, ask of a deployment. */
export interface Demand {
  readonly name: string;
  /** Token events (transfers, pool events, ownership changes) and native transfers a second. */
  readonly eventsPerS: number;
  readonly rowsPerDay: number;
  readonly bytesPerDay: number;
  /** A year of facts and what is derived from them, one copy. */
  readonly bytesPerYear: number;
  /** Bytes of the chain's stream a day, before it is trimmed. */
  readonly streamBytesPerDay: number;
  /** Cores that reading, storing and scoring keep busy, all servers included. */
  readonly coresBusy: number;
  /** Cores to have: busy ones at the share of use that keeps latency flat, at least two. */
  readonly cores: number;
  /** Bytes of memory: the roles of each chain at their highest, and ClickHouse. */
  readonly memoryBytes: number;
  /** ClickHouse servers that hold a year, one copy. */
  readonly shards: number;
}

const SECONDS_PER_DAY = 86_400;
const DAYS_PER_YEAR = 365;
/** Share of a core's time that may be in use on average: blocks come in bursts. */
const USE_MAX = 0.25;
const CORES_MIN = 2;
const GIB = 1024 ** 3;
/** What ClickHouse wants for merges and caches whatever the load, and for each terabyte of a year. */
const CLICKHOUSE_BYTES = 4 * GIB;
const CLICKHOUSE_BYTES_PER_TB = 4 * GIB;
const TB = 1e12;
/** What one server is to hold: a year of a chain as large as BSC fits on one, and a copy is made over a network within hours. */
const BYTES_PER_SHARD = 4 * TB;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Computes the demand of a chain: each line is one row of the formulas in SIZING.md. */
export const demandOf = (chain: ChainLoad, measured: Measured): Demand => {
  const { chains = 1 } = chain;
  const eventsPerS = chain.transactionsPerS * measured.eventsPerTransaction;
  const eventsPerDay = eventsPerS * SECONDS_PER_DAY;
  const tables = Object.values(measured.tables);
  const rowsPerDay = eventsPerDay * sum(tables.map(({ rowsPerEvent }) => rowsPerEvent));
  const bytesPerDay =
    eventsPerDay * sum(tables.map(({ rowsPerEvent, bytesPerRow }) => rowsPerEvent * bytesPerRow));
  const bytesPerYear = bytesPerDay * DAYS_PER_YEAR;
  const coresBusy =
    eventsPerS / measured.eventsPerCoreS + (chains * measured.coreSPerBlock) / chain.blockTimeS;
  return {
    name: chain.name,
    eventsPerS,
    rowsPerDay,
    bytesPerDay,
    bytesPerYear,
    streamBytesPerDay: eventsPerDay * measured.streamBytesPerEvent,
    coresBusy,
    cores: Math.max(CORES_MIN, Math.ceil(coresBusy / USE_MAX)),
    memoryBytes:
      chains * measured.rolesBytes +
      CLICKHOUSE_BYTES +
      (bytesPerYear / TB) * CLICKHOUSE_BYTES_PER_TB,
    shards: Math.max(1, Math.ceil(bytesPerYear / BYTES_PER_SHARD)),
  };
};

const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);

/** The table of SIZING.md. */
export const sizingTable = (chains: readonly ChainLoad[], measured: Measured): string => {
  const head = [
    '| chain | events/s | million rows a day | GB a day | TB a year | stream, GB a day | cores busy | cores to have | memory, GiB | shards |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  const rows = chains.map((chain) => {
    const demand = demandOf(chain, measured);
    const cells = [
      rounded(demand.eventsPerS),
      rounded(demand.rowsPerDay / 1e6),
      rounded(demand.bytesPerDay / 1e9),
      rounded(demand.bytesPerYear / TB),
      rounded(demand.streamBytesPerDay / 1e9),
      rounded(demand.coresBusy),
      String(demand.cores),
      rounded(demand.memoryBytes / GIB),
      String(demand.shards),
    ];
    return `| ${demand.name} | ${cells.join(' | ')} |`;
  });
  return [...head, ...rows].join('\n');
};

/** The table of measured figures in SIZING.md. */
export const measuredTable = ({ tables }: Measured): string => {
  const rows = Object.entries(tables).map(
    ([name, { rowsPerEvent, bytesPerRow }]) =>
      `| \`${name}\` | ${rowsPerEvent.toFixed(3)} | ${bytesPerRow} |`,
  );
  return ['| table | rows an event | bytes a row |', '| --- | --- | --- |', ...rows].join('\n');
};
