import type { z } from '../schema/zod.ts';

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
