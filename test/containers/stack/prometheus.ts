import type { Stack } from './stack.ts';

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

export async function askPrometheus<T>(stack: Stack, path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const response = await fetch(`${stack.url('WEIR_PROMETHEUS_PORT')}/api/v1/${path}?${new URLSearchParams(query).toString()}`, {
    signal: AbortSignal.timeout(15_000),
  });
  const answer = (await response.json()) as { status: string; error?: string; data: T };
  if (answer.status !== 'success') throw new Error(`Prometheus refuses ${query['query'] ?? path}: ${answer.error}`);
  return answer.data;
}

/** Since `from` (Unix seconds), without the NaN of a division by zero. */
export async function numbersSince(stack: Stack, expression: string, from: number): Promise<number[]> {
  const query = { query: expression, start: String(from), end: String(Date.now() / 1_000), step: '5' };
  const { result } = await askPrometheus<{ result: Series[] }>(stack, 'query_range', query);
  return result.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
}
