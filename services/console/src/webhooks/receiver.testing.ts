import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import type { WebhookPayload } from './payload.ts';

/** A received request, verified by the library that receivers use. */
interface Arrival {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly payload: WebhookPayload;
}

export type Behaviour = (response: ServerResponse, arrival: Arrival, request: IncomingMessage) => void;

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end(code >= 300 ? 'no' : '');
const accept = status(200);

interface ReceiverOptions {
  readonly secret?: string;
  /** The sender's clock, if not the system's. */
  readonly now?: () => number;
  /** Reuses an earlier port. */
  readonly port?: number;
}

export async function startReceiver({ secret = newSecret(), now, port = 0 }: ReceiverOptions = {}): Promise<Receiver> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return new Receiver(server, secret, now);
}

/** A local receiver. It answers 401 to unverified requests and counts them apart. */
export class Receiver {
  readonly url: string;
  readonly secret: string;
  /** Verified requests in order of arrival. */
  readonly arrivals: Arrival[] = [];
  unverified = 0;
  /** The most concurrent requests so far. */
  most = 0;
  readonly #server: Server;
  readonly #verifier: Webhook;
  readonly #now: (() => number) | undefined;
  readonly #acknowledged: Arrival[] = [];
  #behaviour: Behaviour = accept;
  #underWay = 0;

  constructor(server: Server, secret: string, now: (() => number) | undefined) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    this.secret = secret;
    this.#server = server;
    this.#verifier = new Webhook(secret);
    this.#now = now;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#receive(request, response));
  }

  /** Revisions answered with 2xx by screening, in order of first arrival. */
  taken(): Map<string, number[]> {
    const byScreening = new Map<string, number[]>();
    for (const { data } of this.#acknowledged.map(({ payload }) => payload)) {
      const revisions = byScreening.get(data.screening_id) ?? [];
      if (!revisions.includes(data.revision)) revisions.push(data.revision);
      byScreening.set(data.screening_id, revisions);
    }
    return byScreening;
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay += 1;
    this.most = Math.max(this.most, this.#underWay);
    response.on('close', () => (this.#underWay -= 1)).on('error', () => undefined);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#answer(request, response, Buffer.concat(chunks).toString()));
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const payload = at(this.#now, () => verified(this.#verifier, body, request.headers));
    if (payload === undefined) {
      this.unverified += 1;
      response.writeHead(401).end();
      return;
    }
    const arrival = { id: String(request.headers['webhook-id']), headers: request.headers, body, payload };
    this.arrivals.push(arrival);
    response.on('finish', () => {
      if (response.statusCode < 300) this.#acknowledged.push(arrival);
    });
    this.#behaviour(response, arrival, request);
  }
}

function verified(verifier: Webhook, body: string, headers: IncomingMessage['headers']): WebhookPayload | undefined {
  try {
    return verifier.verify(body, headers as Record<string, string>) as WebhookPayload;
  } catch {
    return undefined;
  }
}

/** The verifier reads the system clock and rejects a difference of five minutes. */
function at<T>(now: (() => number) | undefined, work: () => T): T {
  if (now === undefined) return work();
  vi.useFakeTimers({ toFake: ['Date'], now: now() });
  try {
    return work();
  } finally {
    vi.useRealTimers();
  }
}
