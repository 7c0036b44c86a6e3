import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import type { z } from 'zod';
import type { Description } from '../../http/operation.ts';
import type { Origin } from '../../http/origin.ts';
import { type Parameters, parse } from '../../http/parameters.ts';
import type { ReportUrl } from '../../reports/query.ts';
import type { Turns } from '../../reports/turns.ts';
import type { Tasks } from '../../runs/tasks.ts';
import type { Subject } from '../../subject.ts';
import type { PaidName } from '../../payments/prices.ts';
import type { Produced } from '../../payments/settlements.ts';

export interface PaidParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly reportUrl: ReportUrl;
  readonly traces: Turns;
}

interface PaidCall {
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

export interface PaidOperation extends Description {
  readonly surface: 'x402';
  readonly price: PaidName;
  /** Validates the parameters; fails with a `Failure` that costs nothing. Returns the work. */
  readonly prepare: (parameters: Parameters) => (call: PaidCall) => Promise<Produced>;
}

interface Definition<Request extends z.ZodObject, Answer extends z.ZodType, Asked>
  extends Omit<PaidOperation, 'surface' | 'keyed' | 'name' | 'path' | 'prepare'> {
  readonly request: Request;
  readonly answer: Answer;
  /** Parses the parameters. Pure; fails with a `Failure`. */
  readonly read: (request: z.output<Request>) => Asked;
  readonly run: (asked: Asked, call: PaidCall) => Promise<{ readonly body: z.output<Answer> & object; readonly task?: Subject }>;
}

/** Ties the types of a paid operation together. Its path is its name in the price table. */
export function paidOperation<Request extends z.ZodObject, Answer extends z.ZodType, Asked>(
  definition: Definition<Request, Answer, Asked>,
): PaidOperation {
  const { read, run, ...description } = definition;
  return {
    ...description,
    surface: 'x402',
    keyed: false,
    name: `x402_${description.price}`,
    path: `/x402/${description.price}`,
    prepare: (parameters) => {
      const asked = read(parse(definition.request, parameters));
      return (call) => run(asked, call);
    },
  };
}
