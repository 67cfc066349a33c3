import { z } from 'zod';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * What a later release must still answer about data of an earlier one: facts and user data in full; of a verdict the
 * decision, not the form of its document.
 */
const answersSchema = z.object({
  /** Facts and verdict of each token, by address. */
  tokens: z.record(z.record(z.unknown())),
  /** Wallets and tokens of each ring, by id. */
  rings: z.record(z.record(z.unknown())),
  /** Verdicts of each token, newest first, by address. */
  histories: z.record(z.array(z.record(z.unknown()))),
  /** Activity of each ring wallet, by address. */
  wallets: z.record(z.record(z.unknown())),
  alerts: z.array(z.record(z.unknown())),
  watchlist: z.array(z.record(z.unknown())),
});
type Answers = z.infer<typeof answersSchema>;

const rowSchema = z.record(z.unknown());
/** Contents of views for analysts, by view. */
const viewsSchema = z.record(z.array(rowSchema));
type Views = z.infer<typeof viewsSchema>;

/** The file `answers.json` of an archive. */
export const recordedSchema = z.object({
  apiKey: z.string(),
  answers: answersSchema,
  views: viewsSchema,
});

const TOKEN_FIELDS = [
  'address',
  'name',
  'symbol',
  'prediction',
  'confidence',
  'risk_score',
  'created_at',
];
const RING_FIELDS = ['id', 'name', 'wallets', 'tokens', 'total_stolen'];
const HISTORY_FIELDS = ['at', 'block_number', 'prediction', 'confidence', 'risk_score'];
const WALLET_FIELDS = [
  'address',
  'role',
  'tokens_created',
  'scam_rate',
  'total_value_stolen',
  'victims',
  'first_seen',
  'last_activity',
  'cluster_id',
];
const ALERT_FIELDS = ['id', 'type', 'severity', 'token', 'details', 'recommendation', 'created_at'];
const WATCH_FIELDS = ['id', 'address', 'type', 'alerts', 'sensitivity', 'created_at'];

type Row = Record<string, unknown>;

const pick = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.flatMap((name) => (name in row ? [[name, row[name]]] : [])));

/** Requests everything that is compared from an API. */
export const readAnswers = async (url: string, apiKey: string): Promise<Answers> => {
  const ask = async (path: string): Promise<{ data: unknown }> => {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const answer = await fetch(`${url}${path}`, { headers: { 'X-API-Key': apiKey }, signal });
    if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { data: unknown };
  };
  const list = async (path: string, name: string): Promise<Row[]> => {
    const { data } = await ask(path);
    const rows = Array.isArray(data) ? data : (data as Record<string, unknown>)[name];
    if (!Array.isArray(rows)) throw new Error(`${path}: no list of ${name}`);
    return rows as Row[];
  };
  const one = async (path: string): Promise<Row> => (await ask(path)).data as Row;
  const all = async <Found>(
    ids: readonly string[],
    read: (id: string) => Promise<Found>,
  ): Promise<Record<string, Found>> =>
    Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)));
  const idsOf = (rows: readonly Row[], name: string): string[] =>
    rows.map((row) => String(row[name]));
  const tokens = idsOf(await list('/tokens?limit=50', 'tokens'), 'address');
  const rings = await all(idsOf(await list('/clusters?limit=50', 'clusters'), 'id'), async (id) =>
    pick(await one(`/clusters/${id}`), RING_FIELDS),
  );
  const wallets = Object.values(rings).flatMap(({ wallets }) => idsOf(wallets as Row[], 'address'));
  return {
    tokens: await all(tokens, async (address) =>
      pick(await one(`/tokens/${address}`), TOKEN_FIELDS),
    ),
    rings,
    histories: await all(tokens, async (address) =>
      (await list(`/api/tokens/${address}/history?limit=500`, '')).map((row) =>
        pick(row, HISTORY_FIELDS),
      ),
    ),
    wallets: await all(wallets, async (address) =>
      pick(await one(`/wallets/${address}`), WALLET_FIELDS),
    ),
    alerts: (await list('/alerts?limit=50', 'alerts')).map((row) => pick(row, ALERT_FIELDS)),
    watchlist: (await list('/watchlist?limit=50', 'items')).map((row) => pick(row, WATCH_FIELDS)),
  };
};

/** The part of each view that must not change; for large ones a summary by token, market or wallet. */
const VIEW_QUERIES: Readonly<Record<string, string>> = {
  tokens: `SELECT token, name, symbol, toString(total_supply) AS supply, creator, created_block, created_tx
    FROM tokens ORDER BY ALL`,
  past_verdicts: `SELECT token, block_number, horizon_s, trigger, prediction, risk_score, model, length(features) AS features
    FROM past_verdicts ORDER BY ALL`,
  transfers: `SELECT token, count() AS n, uniqExact(from_address) AS senders, toString(sum(value)) AS value, max(block_number) AS block
    FROM transfers GROUP BY token ORDER BY token`,
  native_transfers: `SELECT to_address, count() AS n, toString(sum(value)) AS value, max(block_number) AS block
    FROM native_transfers GROUP BY to_address ORDER BY to_address`,
  pool_events: `SELECT pool, kind, count() AS n, toString(sum(reserve0)) AS reserve0, max(block_number) AS block
    FROM pool_events GROUP BY pool, kind ORDER BY ALL`,
  markets: 'SELECT market, protocol, token0, token1, block_number FROM markets ORDER BY ALL',
  trades: `SELECT market, count() AS n, toString(sum(amount_in)) AS amount_in, toString(sum(amount_out)) AS amount_out
    FROM trades GROUP BY market ORDER BY market`,
  holders: `SELECT token, count() AS n, toString(sum(balance_raw)) AS balance FROM holders GROUP BY token ORDER BY token`,
  ownership_transfers:
    'SELECT contract, previous_owner, new_owner, block_number FROM ownership_transfers ORDER BY ALL',
  wallets: 'SELECT wallet, tokens_created, scams, cluster_id FROM wallets ORDER BY ALL',
  ring_members: 'SELECT cluster_id, wallet, role FROM ring_members ORDER BY ALL',
  losses: 'SELECT token, stolen_usd, victims FROM losses ORDER BY ALL',
  wallet_edges: `SELECT kind, direction, count() AS n, uniqExact(node) AS nodes, max(last_at) AS last_at
    FROM wallet_edges GROUP BY kind, direction ORDER BY ALL`,
};

/** Queries the parts of views that must not change. */
export const readViews = async (database: Clickhouse): Promise<Views> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(VIEW_QUERIES).map(
        async ([view, sql]) => [view, await database.query(sql, {}, rowSchema)] as const,
      ),
    ),
  );
