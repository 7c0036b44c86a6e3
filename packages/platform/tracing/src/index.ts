export { tracedFetch } from './http.ts';
export { tracedStatement } from './statement.ts';
export {
  activeSpan,
  activeTraceparent,
  endFailed,
  inSpan,
  isTracing,
  parseTraceparent,
  type RecordSpans,
  recordSpans,
  runWithin,
  startSpan,
  startTracing,
  toTraceparent,
  type TracingOptions,
  withRecordSpans,
} from './tracing.ts';
export { eventSpan, eventTraceparent, eventTraceparentIn, rootSpan, traceIdOf, writerOf } from './transfer.ts';
