import { request } from 'node:https';
import type { PortVariable, Stack } from './stack.ts';

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

/** The certificate of the stack's authority, and the password of the user `operator`. */
interface Credentials {
  readonly ca: string;
  readonly password: string;
}

let known: Promise<Credentials> | undefined;

export async function askPrometheus<T>(stack: Stack, path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  known ??= credentials(stack);
  const { ca, password } = await known;
  const { body } = await getOverTls(stack, 'WEIR_PROMETHEUS_PORT', `/api/v1/${path}?${new URLSearchParams(query).toString()}`, {
    ca,
    auth: `operator:${password}`,
  });
  const answer = JSON.parse(body) as { status: string; error?: string; data: T };
  if (answer.status !== 'success') throw new Error(`Prometheus refuses ${query['query'] ?? path}: ${answer.error}`);
  return answer.data;
}

/** GET from a published port with TLS, whose certificate is checked. */
export function getOverTls(
  stack: Stack,
  port: PortVariable,
  path: string,
  options: { readonly ca: string; readonly auth?: string },
): Promise<{ readonly status: number; readonly body: string }> {
  const url = `https://127.0.0.1:${stack.place.ports[port]}${path}`;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, servername: 'localhost', agent: false, timeout: 15_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer from ${url}`)));
    sent.once('error', reject);
    sent.end();
  });
}

async function credentials(stack: Stack): Promise<Credentials> {
  const [ca, password] = await Promise.all([stack.secret('authority/ca.crt'), stack.secret('credentials/prometheus-password')]);
  return { ca, password };
}

/** Since `from` (Unix seconds), without the NaN of a division by zero. */
export async function numbersSince(stack: Stack, expression: string, from: number): Promise<number[]> {
  const query = { query: expression, start: String(from), end: String(Date.now() / 1_000), step: '5' };
  const { result } = await askPrometheus<{ result: Series[] }>(stack, 'query_range', query);
  return result.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
}
