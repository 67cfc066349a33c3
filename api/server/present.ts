import type { Hex } from '../../shared/chain/block.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { z } from './schema.ts';

/** The success envelope of style A. `nowMs` is in Unix milliseconds. */
export const successA = <D>(
  data: D,
  nowMs: number,
): { success: true; data: D; timestamp: string } => ({
  success: true,
  data,
  timestamp: isoTime(nowMs),
});

/** The success envelope of style B. */
export const successB = <D>(data: D): { data: D; success: true } => ({ data, success: true });

/** A shortened address: shown if there is no name. */
export const shortAddress = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/**
 * JSON text of a value, validated by its schema. Rendered once per value, so that a value kept in memory costs little
 * to show again.
 * @throws if the schema does not match, which is a bug.
 */
export const renderOnce = <T extends object, S extends z.ZodTypeAny>(
  schema: S,
  present: (value: T) => z.input<S>,
): ((value: T) => string) => {
  const texts = new WeakMap<T, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema.parse(present(value)));
    texts.set(value, text);
    return text;
  };
};

/**
 * JSON text of the first entries of a page, each validated by its schema. Rendered once per page, so that a page kept
 * in memory costs little to show again. See `renderOnce`.
 * @throws if the schema does not match, which is a bug.
 */
export const renderPage = <T, S extends z.ZodTypeAny>(
  schema: S,
  present: (entry: T) => z.input<S>,
): ((page: readonly T[], shown: number) => string) => {
  const entriesSchema = z.array(schema);
  const kept = new WeakMap<readonly T[], { readonly shown: number; readonly text: string }>();
  return (page, shown) => {
    const known = kept.get(page);
    if (known?.shown === shown) return known.text;
    const text = JSON.stringify(entriesSchema.parse(page.slice(0, shown).map(present)));
    kept.set(page, { shown, text });
    return text;
  };
};
