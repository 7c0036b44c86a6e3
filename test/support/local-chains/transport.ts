import { type HttpTransport, http } from 'viem';

/** viem sends a request again after 10 s, and a busy machine would mine or pay twice. This only ends what hangs. */
export function patientHttp(url: string): HttpTransport {
  return http(url, { timeout: 120_000, retryCount: 0 });
}
