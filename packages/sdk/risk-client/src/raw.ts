/** For adapters to APIs of another shape: the same time limits, size limits and silence about keys. */
export { readJson } from './answer.ts';
export { baseOf, call, type HttpOptions, type Reply, type Request, unavailable } from './http.ts';
export { refusalOf } from './refusal.ts';
export { amount, levelOf, problemOf, text } from './result.ts';
