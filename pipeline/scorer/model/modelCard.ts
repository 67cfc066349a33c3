import { z } from 'zod';

const cardSchema = z.object({
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  features: z.array(z.string()).min(1),
  rugShareByAgeS: z.record(z.string().regex(/^\d+$/), z.number().gt(0).lt(1)),
});

/**
 * What the service needs of a model card: the model's name, its hash, its features in order, and the share of
 * rugs among the training snapshots by age in seconds (the prior that a probability at that age starts from).
 */
export type ModelCard = z.infer<typeof cardSchema>;

/** Parses `card.json` of a trained model; throws where it is malformed. */
export const parseModelCard = (json: unknown): ModelCard => cardSchema.parse(json);
