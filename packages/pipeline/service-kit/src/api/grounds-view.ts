import { z } from 'zod';
import type { Described } from './schemas.ts';

/** What a score is made of. */
export const groundsView = z
  .strictObject({
    contributions: z
      .array(
        z.strictObject({
          key: z
            .string()
            .describe(
              'base, own:<category>, <side>:direct:<category>, <side>:traced:<category>, <side>:floor:<rule> or <side>:cap:<rule>; a category of a suspicion ends with ?.',
            ),
          points: z.number().describe('Negative for a cap.'),
        }),
      )
      .describe('They add up to the score. Of a transaction: of its worst address.'),
    counterfactuals: z
      .array(
        z.strictObject({
          without: z.string().describe('The key of a contribution.'),
          score: z.number(),
          risk_level: z.enum(['Low', 'Moderate', 'High', 'Severe']),
        }),
      )
      .describe('The findings without which the level would be another. Empty: no finding alone decides it.'),
  })
  .meta({ id: 'ScoreGrounds' });
export type GroundsView = Described<typeof groundsView>;
