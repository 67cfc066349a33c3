import { z } from 'zod';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import type { ModelFiles } from '../model/loadModel.ts';

/** A model of a chain, without its files. */
export type ModelEntry = Readonly<z.output<typeof listSchema>>;

/** Stands for the shipped model of the running release: its files are not in the table. */
export const SHIPPED = '0'.repeat(64);

/** The files of a chain's model, and of its model of older markets if it has one. */
export interface ChainModelFiles extends ModelFiles {
  readonly life: ModelFiles | undefined;
}

const base64 = (files: ModelFiles | undefined): string =>
  files ? Buffer.from(files.onnx).toString('base64') : '';

const COLUMNS: ColumnWriters<{
  readonly chainId: number;
  readonly entry: ModelEntry;
  readonly files: ChainModelFiles | undefined;
}> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  sha256: (row, { entry }) => row.fixed(`0x${entry.sha256}`),
  name: (row, { entry }) => row.string(entry.name),
  trained_until: (row, { entry }) => row.uint32(entry.trainedUntilS),
  tokens: (row, { entry }) => row.uint64(entry.tokens),
  card: (row, { files }) => row.string(files?.card ?? ''),
  onnx: (row, { files }) => row.string(base64(files)),
  trees: (row, { files }) => row.string(files?.trees ?? ''),
  life_card: (row, { files }) => row.string(files?.life?.card ?? ''),
  life_onnx: (row, { files }) => row.string(base64(files?.life)),
  life_trees: (row, { files }) => row.string(files?.life?.trees ?? ''),
  made_at: (row, { entry }) => row.uint64(entry.madeAtMs),
  promoted_at: (row) => row.nullable(undefined, () => undefined),
  version: (row, { entry }) => row.uint64(entry.madeAtMs),
};
const writeModels = createTableWriter('models', COLUMNS);

const listSql = `SELECT lower(hex(m.sha256)) AS sha256, m.name AS name, toUnixTimestamp(m.trained_until) AS trainedUntilS, m.tokens AS tokens, toUnixTimestamp64Milli(m.made_at) AS madeAtMs,
    toUnixTimestamp64Milli(m.promoted_at) AS promotedAtMs
  FROM models AS m FINAL WHERE m.chain_id = {chainId:UInt64} ORDER BY m.made_at DESC, m.sha256`;
const listSchema = z
  .object({
    /** Hash of the ONNX file, hexadecimal without 0x; `SHIPPED` for the model of the release. */
    sha256: z.string(),
    name: z.string(),
    /** Chain time at which it was trained, Unix seconds. */
    trainedUntilS: z.number(),
    /** Tokens it was trained on. */
    tokens: z.number(),
    /** Unix milliseconds. */
    madeAtMs: z.number(),
    /** When it was last put in force, Unix milliseconds. */
    promotedAtMs: z.number().nullable(),
  })
  .transform(({ promotedAtMs, ...row }) => ({ ...row, promotedAtMs: promotedAtMs ?? undefined }));

const filesSql = `SELECT m.onnx AS onnx, m.trees AS trees, m.card AS card, m.life_onnx AS lifeOnnx, m.life_trees AS lifeTrees, m.life_card AS lifeCard FROM models AS m FINAL
  WHERE m.chain_id = {chainId:UInt64} AND m.sha256 = toFixedString(unhex({sha256:String}), 32) AND m.onnx != ''`;
const onnxSchema = z.string().transform((text) => Buffer.from(text, 'base64'));
const filesSchema = z
  .object({
    onnx: onnxSchema,
    trees: z.string(),
    card: z.string(),
    lifeOnnx: onnxSchema,
    lifeTrees: z.string(),
    lifeCard: z.string(),
  })
  .transform(
    ({ lifeOnnx: onnx, lifeTrees: trees, lifeCard: card, ...files }): ChainModelFiles => ({
      ...files,
      life: card === '' ? undefined : { onnx, trees, card },
    }),
  );

const promoteSql = `INSERT INTO models (${Object.keys(COLUMNS).join(', ')})
  SELECT chain_id, sha256, name, trained_until, tokens, card, onnx, trees, life_card, life_onnx, life_trees, made_at, fromUnixTimestamp64Milli({atMs:Int64}), {atMs:Int64}
  FROM models FINAL WHERE chain_id = {chainId:UInt64} AND sha256 = toFixedString(unhex({sha256:String}), 32)`;

export const createModelStore = (clickhouse: Clickhouse) => ({
  /** The models of a chain, latest first. */
  list: (chainId: number): Promise<ModelEntry[]> =>
    clickhouse.query(listSql, { chainId }, listSchema),
  /** The files of a model that was trained here; undefined if there are none. */
  files: async (chainId: number, sha256: string): Promise<ChainModelFiles | undefined> => {
    const [row] = await clickhouse.query(filesSql, { chainId, sha256 }, filesSchema);
    return row;
  },
  /** Stores a model in one insert: with its files or not at all. */
  insert: (chainId: number, entry: ModelEntry, files: ChainModelFiles | undefined): Promise<void> =>
    writeModels(clickhouse, [{ chainId, entry, files }]),
  /** Puts a stored model in force. */
  promote: (chainId: number, sha256: string, atMs: number): Promise<void> =>
    clickhouse.exec(promoteSql, { chainId, sha256, atMs }),
});
/** The models of chains: the table `models`. */
export type ModelStore = ReturnType<typeof createModelStore>;

/**
 * The model in force among those of a chain: the one promoted last; undefined if the shipped one was never replaced.
 */
export const inForce = (models: readonly ModelEntry[]): ModelEntry | undefined =>
  promoted(models)[0];

/** The model that was in force before. */
export const previouslyInForce = (models: readonly ModelEntry[]): ModelEntry | undefined =>
  promoted(models)[1];

const promoted = (models: readonly ModelEntry[]): ModelEntry[] =>
  models
    .filter(({ promotedAtMs }) => promotedAtMs !== undefined)
    .toSorted((a, b) => (b.promotedAtMs ?? 0) - (a.promotedAtMs ?? 0));
