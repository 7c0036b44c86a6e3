import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from './clock.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export type Step = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers each request by the next step; the last one stays. */
export interface ScriptedServer {
  readonly url: string;
  readonly seen: Seen[];
  script(...steps: Step[]): void;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  let steps: Step[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const { method = '', url: path = '', headers } = request;
      seen.push({ method, path, headers, body: text === '' ? undefined : JSON.parse(text) });
      const step = steps.length > 1 ? steps.shift() : steps[0];
      step?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    script: (...next) => {
      seen.length = 0;
      steps = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export function problem(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Step {
  const value = { type: 'about:blank', title: 'Problem', status, code, detail: 'told to people', ...more };
  return json(status, value, { 'content-type': 'application/problem+json', ...headers });
}

/** The connection ends without an answer. */
export const cut: Step = (response) => response.destroy();

/** Pauses pass at once and are recorded; limits of an hour and more are never reached. */
export class PassingClock implements Clock {
  readonly pauses: number[] = [];
  #now = 1_800_000_000_000;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 3_600_000) {
      this.pauses.push(ms);
      this.#now += ms;
      return Promise.resolve();
    }
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  }
}
