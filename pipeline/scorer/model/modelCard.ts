import { z } from 'zod';

/** How a feature was spread in the training data: up to ten parts of equally many rows. */
const spreadSchema = z.object({
  /** Between the parts; a value that equals one belongs to the part above. */
  edges: z.array(z.number()),
  /** Share of all rows in each part, and of those without a value. */
  shares: z.array(z.number()),
  missing: z.number(),
});
export type FeatureSpread = z.infer<typeof spreadSchema>;

const cardSchema = z.object({
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  features: z.array(z.string()).min(1),
  rugShareByAgeS: z.record(z.string().regex(/^\d+$/), z.number().gt(0).lt(1)),
  /** Of features one hour after the first Sync; the model of contracts has none. */
  featureDeciles: z.record(spreadSchema).optional(),
});

/**
 * What the service needs of a model card: the model's name, its hash, its features in order, and the share of
 * rugs among the training snapshots by age in seconds (the prior that a probability at that age starts from), and how
 * features were spread.
 */
export type ModelCard = z.infer<typeof cardSchema>;

/** Parses `card.json` of a trained model; throws where it is malformed. */
export const parseModelCard = (json: unknown): ModelCard => cardSchema.parse(json);
