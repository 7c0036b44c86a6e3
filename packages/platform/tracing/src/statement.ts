import { context, trace } from '@opentelemetry/api';
import { inSpan, isTracing } from './tracing.ts';

/** Names of a statement, without its text: some texts have values. */
export function summaryOf(text: string): { operation: string; collection: string | undefined } {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'OTHER';
  const collection = /\b(?:FROM|INTO|UPDATE)\s+(?:ONLY\s+)?([a-z_]+\.[a-z_]+)/.exec(text)?.[1];
  return { operation, collection };
}

/** A span of a statement, if it belongs to a span. */
export function tracedStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  const parent = isTracing() ? trace.getSpan(context.active()) : undefined;
  if (parent === undefined || !parent.isRecording()) return run();
  const { operation, collection } = summaryOf(text);
  return inSpan(
    {
      name: collection === undefined ? operation : `${operation} ${collection}`,
      kind: 'client',
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        ...(collection !== undefined && { 'db.collection.name': collection }),
      },
    },
    run,
  );
}
