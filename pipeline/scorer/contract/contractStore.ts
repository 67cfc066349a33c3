import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { CodeTwins } from '../checks/checkInput.ts';
import { cacheUpdate, NO_CACHE, type ReadCache, type Rows } from '../readCache.ts';
import { type ContractProfile, contractProfileSchema, type NearScam } from './contractProfile.ts';

/** A profile with the time it was read. */
export interface StoredProfile {
  readonly profile: ContractProfile;
  /** Unix milliseconds. */
  readonly readAtMs: number;
}

/** Tokens with the same code. */
export interface LabelledTwins {
  readonly twins: CodeTwins;
  /** The `scamCheck` in the token's own label; undefined without a label. */
  readonly ownLabel: string | undefined;
}

/** The label of a token's code. */
export interface CodeLabel {
  readonly token: Hex;
  readonly profile: ContractProfile;
  /** The failed critical check of the contract; empty if none failed. */
  readonly scamCheck: string;
}

/** Storage of contract profiles and of the labels of their code. */
export interface ContractStore {
  read(chainId: number, tokens: readonly Hex[]): Promise<Map<Hex, StoredProfile>>;
  insert(
    chainId: number,
    profiles: ReadonlyMap<Hex, ContractProfile>,
    readAtMs: number,
  ): Promise<void>;
  label(chainId: number, labels: readonly CodeLabel[], atMs: number): Promise<void>;
  /** For each token, labels of its own instructions, and of other tokens with the same ones. */
  twins(
    chainId: number,
    profiles: ReadonlyMap<Hex, ContractProfile>,
  ): Promise<Map<Hex, LabelledTwins>>;
  /** For each token, the newest scam with nearly the same code, if there is one. */
  nearScams(
    chainId: number,
    profiles: ReadonlyMap<Hex, ContractProfile>,
  ): Promise<Map<Hex, NearScam>>;
}

/** Labels examined per skeleton. */
const TWINS_MAX = 100;
/** Scam codes, the newest, among which nearly identical ones are searched. */
const NEAR_SCAMS_MAX = 2_000;
/** Of 32 minima: an estimated 90 % of basic blocks in common. */
const NEAR_MINIMA = 29;
const MINIMA = 32;

const readSql = `SELECT ${hexText('c.token')} AS address, c.doc AS doc, c.version AS readAtMs
  FROM dim_contracts AS c FINAL WHERE c.chain_id = {chainId:UInt64} AND c.token IN ${inAddresses('tokens')}`;
const readSchema = z.object({ address: addressSchema, doc: z.string(), readAtMs: z.number() });

const twinsSql = `SELECT ${hexText('j.skeleton')} AS skeleton_hash,
    ${hexText('j.token')} AS address, argMax(j.scam_check, j.version) AS failed
  FROM code_labels AS j
  WHERE j.chain_id = {chainId:UInt64} AND j.is_scam IN (0, 1)
    AND j.skeleton IN (SELECT toFixedString(unhex(arrayJoin({skeletons:Array(String)})), 32))
  GROUP BY j.skeleton, j.token
  ORDER BY j.skeleton, failed DESC, j.token LIMIT ${TWINS_MAX} BY j.skeleton`;
const twinsSchema = z.object({
  skeleton_hash: hashSchema,
  address: addressSchema,
  failed: z.string(),
});

const nearSql = `SELECT w.1 AS wanted, ${hexText('s.token')} AS address, w.3 AS near
  FROM (SELECT token, skeleton, minima FROM code_labels FINAL
    WHERE chain_id = {chainId:UInt64} AND is_scam = 1 ORDER BY version DESC LIMIT ${NEAR_SCAMS_MAX}) AS s
  ARRAY JOIN arrayMap((m, i) -> (i, m, arrayCount(n ->
      substring(unhex(m), 4 * n + 1, 4) = substring(toString(s.minima), 4 * n + 1, 4), range(${MINIMA}))),
    {minima:Array(String)}, range(length({minima:Array(String)}))) AS w
  WHERE w.3 >= ${NEAR_MINIMA} ORDER BY w.1, w.3 DESC, s.token LIMIT 2 BY w.1`;
const nearSchema = z.object({ wanted: z.number(), address: addressSchema, near: z.number() });

const minimaHex = (minima: readonly number[]): Hex =>
  `0x${minima.map((value) => value.toString(16).padStart(8, '0')).join('')}`;

const writeProfiles = createTableWriter<{
  readonly chainId: number;
  readonly token: Hex;
  readonly profile: ContractProfile;
  readonly readAtMs: number;
}>('dim_contracts', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  block_number: (row, { profile }) => row.uint64(profile.blockNumber),
  code_hash: (row, { profile }) => row.fixed(profile.codeHash),
  skeleton: (row, { profile }) => row.fixed(profile.skeleton),
  doc: (row, { profile }) => row.string(JSON.stringify(profile)),
  version: (row, { readAtMs }) => row.uint64(readAtMs),
});
const writeLabels = createTableWriter<CodeLabel & { chainId: number; atMs: number }>(
  'code_labels',
  {
    chain_id: (row, { chainId }) => row.uint64(chainId),
    is_scam: (row, { scamCheck }) => row.uint8(scamCheck === '' ? 0 : 1),
    skeleton: (row, { profile }) => row.fixed(profile.skeleton),
    token: (row, { token }) => row.fixed(token),
    minima: (row, { profile }) => row.fixed(minimaHex(profile.minima)),
    scam_check: (row, { scamCheck }) => row.string(scamCheck),
    version: (row, { atMs }) => row.uint64(atMs),
  },
);

const twinsOf = (token: Hex, same: readonly z.output<typeof twinsSchema>[]): LabelledTwins => {
  const others = same.filter(({ address }) => address !== token);
  const scams = others.filter(({ failed }) => failed !== '');
  const example = scams[0]?.address ?? null;
  const twins = { scams: scams.length, others: others.length - scams.length, example };
  return { twins, ownLabel: same.find(({ address }) => address === token)?.failed };
};

const readProfiles = async (
  clickhouse: Clickhouse,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Map<Hex, StoredProfile>> => {
  const params = { chainId, tokens: tokens.map(addressParam) };
  const rows = await clickhouse.query(readSql, params, readSchema);
  return new Map(
    rows.flatMap(({ address, doc, readAtMs }) => {
      // A profile in an older format is read again.
      const parsed = contractProfileSchema.safeParse(JSON.parse(doc));
      return parsed.success ? [[address, { profile: parsed.data, readAtMs }] as const] : [];
    }),
  );
};

/** The tables `dim_contracts` and `code_labels`. */
export const createContractStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
): ContractStore => ({
  read: (chainId, tokens) =>
    cache.read({
      of: 'contract',
      keys: tokens,
      read: (missing) => readProfiles(clickhouse, chainId, missing),
      dependsOn: () => [],
    }),
  insert: async (chainId, profiles, readAtMs) => {
    const rows = [...profiles].map(([token, profile]) => ({ chainId, token, profile, readAtMs }));
    await cache.write(() => writeProfiles(clickhouse, rows));
    for (const { token, profile } of rows) {
      cache.update(cacheUpdate<StoredProfile>('contract', token, () => ({ profile, readAtMs })));
    }
  },
  label: async (chainId, labels, atMs) => {
    const rows = labels.map((label) => ({ ...label, chainId, atMs }));
    await cache.write(() => writeLabels(clickhouse, rows));
    cache.changed(labels.map(({ profile }): Rows => `code ${profile.skeleton}`));
    if (labels.some(({ scamCheck }) => scamCheck !== '')) cache.changed(['code scams']);
  },
  twins: async (chainId, profiles) => {
    const found = await cache.read({
      of: 'twins',
      keys: [...new Set([...profiles.values()].map(({ skeleton }) => skeleton))],
      read: async (missing) => {
        const skeletons = missing.map((skeleton) => skeleton.slice(2));
        const rows = await clickhouse.query(twinsSql, { chainId, skeletons }, twinsSchema);
        return groupBy(rows, (row) => row.skeleton_hash);
      },
      dependsOn: (skeleton) => [`code ${skeleton}`],
    });
    const same = (skeleton: Hex) => found.get(skeleton) ?? [];
    return new Map(
      [...profiles].map(([token, { skeleton }]) => [token, twinsOf(token, same(skeleton))]),
    );
  },
  nearScams: async (chainId, profiles) => {
    const wanted = [...profiles].map(([token, { minima }]) => [token, minimaHex(minima)] as const);
    const found = await cache.read({
      of: 'near scams',
      keys: [...new Set(wanted.map(([, minima]) => minima))],
      read: async (missing) => {
        const minima = missing.map((one) => one.slice(2));
        const rows = await clickhouse.query(nearSql, { chainId, minima }, nearSchema);
        return groupBy(rows, ({ wanted: i }) => missing[i] ?? '0x');
      },
      dependsOn: () => ['code scams'],
    });
    return new Map(
      wanted.flatMap(([token, minima]) => {
        const near = found.get(minima)?.find(({ address }) => address !== token);
        const similarity = near && near.near / MINIMA;
        return similarity ? [[token, { token: near.address, similarity }] as const] : [];
      }),
    );
  },
});
