import type { z } from 'zod';
import type { Description } from '../http/operation.ts';
import type { Origin } from '../http/origin.ts';
import { type Parameters, parse } from '../http/parameters.ts';
import type { Subject } from '../tasks/subject.ts';
import type { PaidName } from './prices.ts';

/** What a paid call is carried out with. */
export interface PaidCall {
  readonly origin: Origin;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** What it comes to. `task` is started when the payment is settled, not before. */
export interface Produced {
  readonly body: object;
  readonly task?: Subject;
}

/** One call that is paid for. */
export interface PaidOperation extends Description {
  readonly surface: 'x402';
  /** Its name in the table of prices. */
  readonly price: PaidName;
  /** Reads the parameters; fails with a `Failure` that costs nothing. What it returns does the work. */
  readonly prepare: (parameters: Parameters) => (call: PaidCall) => Promise<Produced>;
}

interface Definition<Request extends z.ZodObject, Answer extends z.ZodType, Asked>
  extends Omit<PaidOperation, 'surface' | 'keyed' | 'name' | 'path' | 'prepare'> {
  readonly request: Request;
  readonly answer: Answer;
  /** What the parameters ask for. Pure; fails with a `Failure`. */
  readonly read: (request: z.output<Request>) => Asked;
  readonly run: (asked: Asked, call: PaidCall) => Promise<{ readonly body: z.output<Answer> & object; readonly task?: Subject }>;
}

/** A paid operation whose types agree. Its path is its name on the list of prices. */
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
