import { z } from 'zod';
import type { SentenceCode } from './checkWords.ts';

/** A sentence independent of language: its code, and the values of its arguments. */
export interface Sentence {
  readonly code: SentenceCode;
  readonly values?: Readonly<Record<string, SentenceValue>> | undefined;
}
/** A list of texts is joined as usual in the language; sentences are inserted in written form. */
export type SentenceValue = string | number | readonly string[] | Sentence | readonly Sentence[];

/** A sentence; `writeSentence` throws if its message names a value that is not among these. */
export const sentence = (
  code: SentenceCode,
  values?: Readonly<Record<string, SentenceValue>>,
): Sentence => (values === undefined ? { code } : { code, values });

/** A stored sentence. Its code is known in this release, because readers are rolled out before writers. */
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
