import { z } from 'zod';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * What a later release must still say of what an earlier one found: facts and people's data whole; of a verdict what was decided, not how
 * the document has it.
 */
export const answersSchema = z.object({
  /** Of each token its facts and its verdict, by address. */
  tokens: z.record(z.record(z.unknown())),
  /** Of each ring its wallets and tokens, by id. */
  rings: z.record(z.record(z.unknown())),
  alerts: z.array(z.record(z.unknown())),
  watchlist: z.array(z.record(z.unknown())),
});
export type Answers = z.infer<typeof answersSchema>;

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
const ALERT_FIELDS = ['id', 'type', 'severity', 'token', 'details', 'recommendation', 'created_at'];
const WATCH_FIELDS = ['id', 'address', 'type', 'alerts', 'sensitivity', 'created_at'];

type Row = Record<string, unknown>;

const pick = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.flatMap((name) => (name in row ? [[name, row[name]]] : [])));

/** Asks an API everything that is compared. */
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
  const byName = async (
    rows: readonly Row[],
    name: string,
    read: (id: string) => Promise<Row>,
  ): Promise<Record<string, Row>> =>
    Object.fromEntries(
      await Promise.all(
        rows.map(async (row) => [String(row[name]), await read(String(row[name]))] as const),
      ),
    );
  const tokens = await list('/tokens?limit=50', 'tokens');
  const rings = await list('/clusters?limit=50', 'clusters');
  return {
    tokens: await byName(tokens, 'address', async (address) =>
      pick(await one(`/tokens/${address}`), TOKEN_FIELDS),
    ),
    rings: await byName(rings, 'id', async (id) => pick(await one(`/clusters/${id}`), RING_FIELDS)),
    alerts: (await list('/alerts?limit=50', 'alerts')).map((row) => pick(row, ALERT_FIELDS)),
    watchlist: (await list('/watchlist?limit=50', 'items')).map((row) => pick(row, WATCH_FIELDS)),
  };
};
