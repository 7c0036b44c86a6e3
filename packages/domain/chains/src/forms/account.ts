/** An address in its normal form. */
export interface Account {
  readonly address: string;
  /** Where the text holds one beside the address, as X-addresses and muxed accounts do. */
  readonly memo?: string;
}
