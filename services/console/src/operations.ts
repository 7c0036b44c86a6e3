import type { Operation, Pipeline } from '@weir/service-kit';
import { caseFileOperations } from './case-files/routes.ts';
import { eventOperations } from './events/routes.ts';
import { historyOperations } from './history/routes.ts';
import type { ReviewService } from './reviews/review-service.ts';
import { reviewOperations } from './reviews/routes.ts';
import { screeningOperations } from './routes.ts';

export interface ConsoleParts {
  readonly reviewService: ReviewService;
  /** Ends every stream. */
  readonly stopping: AbortSignal;
}

/** Every operation of the console but those of webhooks. */
export function consoleOperations(
  pipeline: Pick<Pipeline, 'pool' | 'access' | 'clock' | 'log' | 'codec'>,
  { reviewService, stopping }: ConsoleParts,
): readonly Operation[] {
  const { pool: db, access, clock } = pipeline;
  return [
    ...screeningOperations(db, access),
    ...reviewOperations({ db, access, reviewService, clock }),
    ...historyOperations({ db, access, clock }),
    ...caseFileOperations({ db, access, clock }),
    ...eventOperations({ pipeline, access, clock, stopping }),
  ];
}
