import type { Operation, Pipeline, SignInOptions } from '@weir/service-kit';
import { SessionCallers, type Sessions } from '@weir/sessions';
import { administrationOperations } from './administration/routes.ts';
import { caseFileOperations } from './case-files/routes.ts';
import { caseOperations } from './cases/routes.ts';
import { deadLetterOperations } from './dead-letters/routes.ts';
import { eventOperations } from './events/routes.ts';
import type { Part } from './health/parts.ts';
import { systemHealthOperations } from './health/routes.ts';
import { labelOperations } from './labels/routes.ts';
import { historyOperations } from './history/routes.ts';
import type { ReviewService } from './reviews/review-service.ts';
import { reviewOperations } from './reviews/routes.ts';
import { savedViewOperations } from './saved-views/routes.ts';
import { screeningOperations } from './routes.ts';
import { sessionOperations } from './sessions/routes.ts';

export interface ConsoleParts {
  readonly reviewService: ReviewService;
  readonly sessions: Sessions;
  /** Undefined without an OIDC provider. */
  readonly signIn: SignInOptions | undefined;
  /** Services in other processes, whose health is shown. */
  readonly parts: readonly Part[];
  /** Ends every stream. */
  readonly stopping: AbortSignal;
}

/** Every operation of the console but those of webhooks. */
export function consoleOperations(
  pipeline: Pick<Pipeline, 'pool' | 'access' | 'clock' | 'log' | 'codec' | 'readiness'>,
  { reviewService, sessions, signIn, parts, stopping }: ConsoleParts,
): readonly Operation[] {
  const { pool: db, clock } = pipeline;
  const access = new SessionCallers(pipeline.access, sessions);
  return [
    ...sessionOperations({ db, access: pipeline.access, callers: access, sessions }),
    ...screeningOperations(db, access),
    ...reviewOperations({ db, access, reviewService, clock }),
    ...historyOperations({ db, access, clock }),
    ...caseOperations({ db, access, clock }),
    ...savedViewOperations({ db, access, clock }),
    ...caseFileOperations({ db, access, clock }),
    ...labelOperations({ db, access, clock }),
    ...deadLetterOperations({ db, access, log: pipeline.log, codec: pipeline.codec, clock }),
    ...administrationOperations({ db, access, clock, sessions, signIn }),
    ...systemHealthOperations({ readiness: pipeline.readiness, parts, access, clock }),
    ...eventOperations({ pipeline, access, clock, stopping }),
  ];
}
