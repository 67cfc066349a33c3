import type { QueryParams } from '../../shared/adapters/clickhouse.ts';
import { addressParam } from '../../shared/encode/addressSet.ts';
import { LATIN, LOOK_ALIKES } from '../search/foldText.ts';
import type { Traits } from '../search/traits.ts';

/** A text as searches read it, in SQL: see `foldText`. */
export const FOLD = (text: string): string =>
  `translateUTF8(lowerUTF8(normalizeUTF8NFKC(${text})), '${LOOK_ALIKES}', '${LATIN}')`;
const HAS_TEXT = `(position(${FOLD('JSONExtractString(entry, 1)')}, {text:String}) > 0
  OR position(${FOLD('JSONExtractString(entry, 2)')}, {text:String}) > 0)`;
const HAS_FEATURES = `arrayAll((name, low, high) -> mapContains(features, name)
    AND features[name] >= low AND features[name] <= high,
  {names:Array(String)}, {lows:Array(Float64)}, {highs:Array(Float64)})`;

/** Whether any is asked for. */
export const isAsked = (ids: readonly unknown[] | undefined): boolean => (ids?.length ?? 0) > 0;
/** Whether bounds of features are asked for. */
export const hasFeatures = ({ features = {} }: Traits): boolean => isAsked(Object.keys(features));

/** What a row with `failed` and `entry` must satisfy, in SQL. */
export const ownCondition = ({ checks = {}, text }: Traits): string =>
  [
    '1',
    ...(isAsked(checks.all) ? ['hasAll(failed, {all:Array(String)})'] : []),
    ...(isAsked(checks.any) ? ['hasAny(failed, {any:Array(String)})'] : []),
    ...(isAsked(checks.none) ? ['NOT hasAny(failed, {none:Array(String)})'] : []),
    ...(text === undefined ? [] : [HAS_TEXT]),
  ].join(' AND ');

/**
 * What a row with `created_at`, `token`, and what `ownCondition` needs, must satisfy, in SQL.
 * @param candidates a query of birth and address of the tokens that may be found: only their features are read.
 */
export const traitCondition = (traits: Traits, candidates: string): string => {
  const own = ownCondition(traits);
  if (!hasFeatures(traits)) return own;
  return `${own} AND (created_at, token) IN (SELECT created_at, token FROM features_by_birth FINAL
    WHERE chain_id = {chainId:UInt64} AND (created_at, token) IN (${candidates}) AND ${HAS_FEATURES})`;
};

/** Values for the placeholders of that condition, and `creator`. */
export const traitParams = ({ checks = {}, features = {}, text, creator }: Traits): QueryParams => {
  const bounds = Object.values(features);
  return {
    all: checks.all ?? [],
    any: checks.any ?? [],
    none: checks.none ?? [],
    text: text ?? '',
    names: Object.keys(features),
    lows: bounds.map(({ min }) => min ?? -Number.MAX_VALUE),
    highs: bounds.map(({ max }) => max ?? Number.MAX_VALUE),
    ...(creator ? { creator: addressParam(creator) } : {}),
  };
};
