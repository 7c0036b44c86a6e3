import { failureBody, failuresOf } from '../http/description/failures.ts';
import type { Description } from '../http/operation.ts';

const known = new Map<string, readonly Description[]>();

/** Checks all further answers of this instance against its descriptions. Returns a function that ends the check. */
export function describeInstance(url: string, descriptions: readonly Description[]): () => void {
  known.set(url, descriptions);
  return () => void known.delete(url);
}

/** Throws when a described call answers with a status or a body outside its description. */
export function checkDescribed(method: string, url: string, answer: { readonly status: number; readonly body: unknown }): void {
  const { origin, pathname } = new URL(url);
  const page = known.get(origin)?.find((own) => own.method === method && own.path === pathname);
  if (page === undefined) return;
  const codes = failuresOf(page).get(answer.status);
  if (answer.status !== 200 && codes === undefined) throw new Error(`${page.name} is not described to answer ${answer.status}`);
  const schema = codes === undefined ? page.answer : failureBody(answer.status, codes);
  const read = schema.safeParse(answer.body);
  if (!read.success) throw new Error(`${page.name} answers ${answer.status} otherwise than described: ${read.error.message}`);
}
