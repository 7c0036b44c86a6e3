/** How a payment stands. claimed: nothing was sent for settlement. settling: sent, or about to be. unknown: sent, and nobody knows what came of it. */
export type PaymentState = 'claimed' | 'settling' | 'unknown' | 'settled' | 'refused';
