import { z } from 'zod';

/** What a schema accepts, as plain JSON: equal for equal schemas. Conditions that are code are named only. */
export const describeSchema = (schema: z.ZodTypeAny): unknown => {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as z.ZodRawShape).map(([name, field]) => [
      name,
      describeSchema(field),
    ]);
    const rest = schema._def.catchall as z.ZodTypeAny;
    const others = rest instanceof z.ZodNever ? {} : { others: describeSchema(rest) };
    return { object: Object.fromEntries(fields) as Record<string, unknown>, ...others };
  }
  if (schema instanceof z.ZodOptional) return { optional: describeSchema(schema.unwrap()) };
  if (schema instanceof z.ZodNullable) return { nullable: describeSchema(schema.unwrap()) };
  if (schema instanceof z.ZodArray)
    return { array: describeSchema(schema.element), ...limits(schema) };
  if (schema instanceof z.ZodRecord) return { record: describeSchema(schema.valueSchema) };
  if (schema instanceof z.ZodUnion) return { union: schema.options.map(describeSchema) };
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return { by: schema.discriminator, union: [...schema.options].map(describeSchema) };
  }
  if (schema instanceof z.ZodEffects)
    return { [schema._def.effect.type]: describeSchema(schema.innerType()) };
  // It may hold itself.
  if (schema instanceof z.ZodLazy) return 'lazy';
  if (schema instanceof z.ZodLiteral) return { literal: schema.value as unknown };
  if (schema instanceof z.ZodEnum) return { enum: schema.options as unknown };
  return simple(schema);
};

const limits = ({ _def: { minLength, maxLength } }: z.ZodArray<z.ZodTypeAny>) => ({
  ...(minLength === null ? {} : { min: minLength.value }),
  ...(maxLength === null ? {} : { max: maxLength.value }),
});

/** Schemas of one value, with their bounds. */
const simple = (schema: z.ZodTypeAny): unknown => {
  if (schema instanceof z.ZodString || schema instanceof z.ZodNumber) {
    const name = schema instanceof z.ZodString ? 'string' : 'number';
    const checks = schema._def.checks.map(({ message: _message, ...check }) =>
      Object.values(check).map(String).join(' '),
    );
    return checks.length === 0 ? name : { [name]: checks };
  }
  const known: [string, boolean][] = [
    ['boolean', schema instanceof z.ZodBoolean],
    ['null', schema instanceof z.ZodNull],
    ['unknown', schema instanceof z.ZodUnknown],
    ['any', schema instanceof z.ZodAny],
  ];
  const found = known.find(([, is]) => is);
  if (!found) throw new Error('a schema of a kind that is not described yet');
  return found[0];
};
