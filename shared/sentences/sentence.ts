import { z } from 'zod';
import type { en } from './en.ts';

/** What can be said of a check. */
export type SentenceCode = keyof typeof en;

/** A sentence in no language yet: which one it is, and the values of its placeholders. */
export interface Sentence {
  readonly code: SentenceCode;
  readonly values?: Readonly<Record<string, SentenceValue>> | undefined;
}
export type SentenceValue = string | number | readonly string[] | Sentence | readonly Sentence[];

/** What a placeholder takes, by the kind behind its colon; without a kind it takes text, which stays as it is. */
export interface ValueKinds {
  readonly number: number;
  /** A share from 0 to 1. */
  readonly percent: number;
  readonly seconds: number;
  /** A moment, Unix milliseconds. */
  readonly time: number;
  readonly list: readonly string[];
  readonly sentence: Sentence;
  readonly sentences: readonly Sentence[];
}

type Named<Placeholder extends string> =
  Placeholder extends `${infer Name}:${infer Kind extends keyof ValueKinds}`
    ? Readonly<Record<Name, ValueKinds[Kind]>>
    : Readonly<Record<Placeholder, string>>;

/** The values that a template needs, read from its placeholders. */
type ValuesOf<Template extends string> =
  Template extends `${string}{${infer Placeholder}}${infer Rest}`
    ? Named<Placeholder> & ValuesOf<Rest>
    : unknown;

type Arguments<Template extends string> =
  unknown extends ValuesOf<Template> ? [] : [values: ValuesOf<Template>];

/** A sentence; the compiler asks for exactly the values that its English template names. */
export const sentence = <Code extends SentenceCode>(
  code: Code,
  ...[values]: Arguments<(typeof en)[Code]>
): Sentence =>
  values === undefined
    ? { code }
    : { code, values: values as Readonly<Record<string, SentenceValue>> };

/** A sentence as it is stored. Its code is one of this release: readers are rolled out before writers. */
export const sentenceSchema: z.ZodType<Sentence> = z.object({
  code: z.string() as unknown as z.ZodType<SentenceCode>,
  values: z.record(z.lazy(() => valueSchema)).optional(),
});

const valueSchema: z.ZodType<SentenceValue> = z.union([
  z.string(),
  z.number(),
  z.array(z.string()),
  sentenceSchema,
  z.array(sentenceSchema),
]);
