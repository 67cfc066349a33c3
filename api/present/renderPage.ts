import { z } from '../schema/zod.ts';

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
