/**
 * Why a list was not taken over. The labels stay as they are.
 *
 * | Code | |
 * |---|---|
 * | `UNREACHABLE` | no connection, or it ended before the file did |
 * | `TIMEOUT` | the file was not there in time |
 * | `STATUS` | the publisher answered with another status than 200 or 304 |
 * | `REDIRECT` | it leads to an address without https, or on and on |
 * | `TOO_LARGE` | the file is larger than any list |
 * | `NOT_THE_LIST` | the file is a web page, cut off, or of another format |
 * | `HASH` | the file has not the SHA-256 that was expected |
 * | `NO_ADDRESSES` | the list had addresses, and this file has none |
 * | `SHRUNKEN` | more labels would end than may |
 */
export type ListFault =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'STATUS'
  | 'REDIRECT'
  | 'TOO_LARGE'
  | 'NOT_THE_LIST'
  | 'HASH'
  | 'NO_ADDRESSES'
  | 'SHRUNKEN';

export class ListError extends Error {
  readonly code: ListFault;
  /** A later attempt may succeed without a person. */
  readonly retriable: boolean;

  constructor(code: ListFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ListError';
    this.code = code;
    this.retriable = code !== 'HASH' && code !== 'SHRUNKEN';
  }
}
