import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RiskLevel } from '@weir/risk-client';

/** One request as a simulated API received it. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Sent =
  | { readonly status: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly text: string; readonly type: string; readonly isCut?: true }
  /** Nothing, until the client gives up. */
  | 'hang';

type Fault =
  | 'not_json'
  | 'web_page'
  | 'too_large'
  | 'level_missing'
  | 'level_unknown'
  | 'category_unknown'
  | 'contradiction'
  | 'server_error'
  | 'error_body'
  | 'redirect'
  | 'limited_bare'
  | 'stall'
  | 'limited'
  | 'key_refused'
  | 'hang';

/** Answer of a simulated API about a subject. */
export interface Script {
  /** Null: it knows nothing of the subject. */
  readonly level: RiskLevel | null;
  /** Weir's risk type of one exposure. Default: none. */
  readonly riskType?: 'sanctioned_entity' | 'mixer' | 'gambling';
  /** Default: direct. */
  readonly isIndirect?: boolean;
  /** How many polls find the assessment still running. */
  readonly polls?: number;
  /** Replaces or breaks the answer. */
  readonly fault?: Fault | undefined;
}

/** A provider's API on loopback that checks keys, signatures and forms as the provider documents them. */
export interface SimulatedApi {
  readonly url: string;
  /** All requests, also rejected ones. */
  readonly received: Received[];
  /** Answers from now on. `subject` is an address or a transaction id. */
  answer(script: (subject: string) => Script): void;
  /** Forgets each running assessment. */
  forget(): void;
  /** Refuses connections on the same port until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

export type Handler = (received: Received) => Sent;

export async function serve(handler: Handler): Promise<Omit<SimulatedApi, 'answer' | 'forget'>> {
  const received: Received[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://simulated');
      const one: Received = {
        method: request.method ?? '',
        url: request.url ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      send(response, handler(one));
    });
  };
  let server = createServer(listener);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    away: close,
    back: async () => {
      server = createServer(listener);
      await listen(port);
    },
    close,
  };
}

function send(response: ServerResponse, sent: Sent): void {
  if (sent === 'hang') return;
  const isJson = 'json' in sent;
  response.writeHead(sent.status, { 'content-type': isJson ? 'application/json' : sent.type, ...(isJson && sent.headers) });
  if ('isCut' in sent) response.write(sent.text);
  else response.end(isJson ? JSON.stringify(sent.json) : sent.text);
}

/** Faults that look the same in every API. The others break an answer of its own. */
const commonFaults: Partial<Record<Fault, Sent>> = {
  not_json: { status: 200, text: '{"risk_score":', type: 'application/json' },
  web_page: { status: 200, text: '<html>', type: 'text/html' },
  too_large: { status: 200, text: JSON.stringify({ filler: 'x'.repeat(1_100_000) }), type: 'application/json' },
  error_body: { status: 200, json: { error: 'InternalError', message: 'try later' } },
  redirect: { status: 307, json: {}, headers: { location: '/elsewhere' } },
  limited_bare: { status: 429, json: {} },
  stall: { status: 200, text: '{"risk_score":', type: 'application/json', isCut: true },
  server_error: { status: 503, json: { message: 'try later' } },
  hang: 'hang',
};

export function commonFault(fault: Fault | undefined): Sent | undefined {
  return fault === undefined ? undefined : commonFaults[fault];
}
