import { type Chain, createTestClient, type HttpTransport, http, publicActions, walletActions } from 'viem';

/** viem sends a request again after 10 s, and a busy machine would mine or pay twice. This only ends what hangs. */
export function patientHttp(url: string): HttpTransport {
  return http(url, { timeout: 120_000, retryCount: 0 });
}

/** Of a local EVM chain: mines, sends as anybody, and reads. */
export function anvilClient({ url, chain }: { readonly url: string; readonly chain: Chain }) {
  return createTestClient({ mode: 'anvil', chain, transport: patientHttp(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}
