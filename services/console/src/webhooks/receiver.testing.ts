import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** A local receiver. It answers 401 to unverified requests and counts them apart. */
export interface Receiver {
  readonly url: string;
  readonly secret: string;
  /** Verified requests in order of arrival. */
  readonly arrivals: Arrival[];
  /** Revisions answered with 2xx by screening, in order of first arrival. */
  taken(): Map<string, number[]>;
  unverified: number;
  /** The most concurrent requests so far. */
  most: number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end(code >= 300 ? 'no' : '');
const accept = status(200);

/** `now`: the sender's clock, if not the system's. `port`: reuses an earlier port. */
export async function startReceiver({
  secret = newSecret(),
  now,
  port = 0,
}: {
  secret?: string;
  now?: () => number;
  port?: number;
} = {}): Promise<Receiver> {
  const verifier = new Webhook(secret);
  const acknowledged: Arrival[] = [];
  let behaviour: Behaviour = accept;
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    receiver.most = Math.max(receiver.most, underWay);
    response.on('close', () => (underWay -= 1)).on('error', () => undefined);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const payload = at(now, () => verified(verifier, body, request.headers));
      if (payload === undefined) {
        receiver.unverified += 1;
        return void response.writeHead(401).end();
      }
      const arrival = { id: String(request.headers['webhook-id']), headers: request.headers, body, payload };
      receiver.arrivals.push(arrival);
      response.on('finish', () => {
        if (response.statusCode < 300) acknowledged.push(arrival);
      });
      behaviour(response, arrival, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    arrivals: [],
    unverified: 0,
    most: 0,
    taken: () => {
      const byScreening = new Map<string, number[]>();
      for (const { data } of acknowledged.map(({ payload }) => payload)) {
        const revisions = byScreening.get(data.screening_id) ?? [];
        if (!revisions.includes(data.revision)) revisions.push(data.revision);
        byScreening.set(data.screening_id, revisions);
      }
      return byScreening;
    },
    behave: (next) => (behaviour = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
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
