import type { Hex } from '../../shared/chain/block.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { z } from './schema.ts';

/** The success envelope of style A. `nowMs` are Unix milliseconds. */
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

/** An address by its ends: shown where there is no name. */
export const shortAddress = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/**
 * JSON text of what is shown of a value, checked by its schema: made once for as long as the value lives,
 * so that a value kept in memory costs little to show again.
 * @throws where the schema does not hold, which is a bug.
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
 * JSON text of the first entries of a page, each checked by its schema: made once for as long as the page lives,
 * so that one kept in memory costs little to show again. See `renderOnce`.
 * @throws where the schema does not hold, which is a bug.
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
