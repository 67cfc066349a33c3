import { z } from 'zod';

/** What lies inside rules, transformations and defaults. */
const unwrap = (schema: z.ZodTypeAny): z.ZodTypeAny => {
  if (schema instanceof z.ZodEffects) return unwrap(schema.innerType());
  if (schema instanceof z.ZodDefault) return unwrap(schema.removeDefault());
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap());
  }
  return schema;
};

/**
 * Names that the object at a path of a schema has; undefined where what is there depends on the value, as in a union.
 * @param path as zod reports it, from the whole value to the object
 */
export const knownNames = (
  schema: z.ZodTypeAny,
  path: readonly (string | number)[],
): string[] | undefined => {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodArray && step !== undefined) return knownNames(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return undefined;
  const shape = inner.shape as Record<string, z.ZodTypeAny>;
  if (step === undefined) return Object.keys(shape);
  const field = shape[step];
  return field && knownNames(field, rest);
};
