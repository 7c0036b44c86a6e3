import { createServer, type IncomingMessage } from 'node:http';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';

/** A scripted paying API. It verifies and settles nothing; `test/pay` covers settlement on real chains. */
export interface PaidApi {
  readonly url: string;
  /** Decoded, in order of arrival. */
  readonly payments: SentPayment[];
  offers: Offer[];
  /** `count`: the payments before. */
  onPayment: (sent: SentPayment, count: number) => Reaction;
  close(): Promise<void>;
}

interface SentPayment {
  readonly signature: string;
  readonly id: string | undefined;
  readonly accepted: Offer;
  readonly path: string;
}
export type Offer = Record<string, unknown>;
export type Reaction = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'silence';

export const receiver = '0x00000000000000000000000000000000000000aa';
export const baseOffer: Offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '100000',
  payTo: receiver,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
};
export const labelled: Reaction = {
  status: 200,
  headers: { 'payment-response': headerOf({ success: true, transaction: '0xabc', network: 'eip155:8453' }) },
  body: { success: true, msg: '', data: { label_list: ['Binance'], label_type: 'exchange' } },
};

export function headerOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

export function wallet() {
  return privateKeyToAccount(generatePrivateKey());
}

export async function startPaidApi(): Promise<PaidApi> {
  const api: Omit<PaidApi, 'url' | 'close'> = { payments: [], offers: [baseOffer], onPayment: () => labelled };
  const extensions = { 'payment-identifier': { info: { required: false }, schema: {} } };
  const react = (request: IncomingMessage): Reaction => {
    const header = request.headers['payment-signature'];
    if (typeof header !== 'string') {
      const required = { x402Version: 2, resource: { url: `http://api${request.url}` }, accepts: api.offers, extensions };
      return {
        status: 402,
        headers: { 'payment-required': headerOf(required) },
        body: { success: false, msg: 'payment_required', data: {} },
      };
    }
    const payment = JSON.parse(Buffer.from(header, 'base64').toString());
    const sent = {
      signature: header,
      id: payment.extensions?.['payment-identifier']?.info?.id,
      accepted: payment.accepted,
      path: request.url ?? '',
    };
    api.payments.push(sent);
    return api.onPayment(sent, api.payments.length - 1);
  };
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const reaction = react(request);
      if (reaction === 'cut') return void response.destroy();
      if (reaction === 'silence') return;
      response.writeHead(reaction.status, { 'content-type': 'application/json', ...reaction.headers });
      response.end(JSON.stringify(reaction.body ?? { success: false, msg: '', data: {} }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return Object.assign(api, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
