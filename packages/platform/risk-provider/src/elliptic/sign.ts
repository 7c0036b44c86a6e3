import { createHmac } from 'node:crypto';

export interface SignedRequest {
  /** Unix milliseconds. */
  readonly at: number;
  readonly method: 'GET' | 'POST';
  /** As the server sees it, with the query. */
  readonly path: string;
  /** Empty: no body. */
  readonly body: string;
}

/** `x-access-sign`: HMAC-SHA256 under the decoded secret, of time, method, path in lower case and body, in base64. `{}` stands for no body. */
export function signatureOf(secret: string, { at, method, path, body }: SignedRequest): string {
  return createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${at}${method}${path.toLowerCase()}${body === '' ? '{}' : body}`)
    .digest('base64');
}
