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
  withRequest,
} from './tracing.ts';
export { eventSpan, eventTraceparent, eventTraceparentIn, requestSpan, rootSpan, traceIdOf, writerOf } from './transfer.ts';
