/** States of a payment. claimed: nothing sent for settlement. settling: sent, or about to be. unknown: sent, outcome unknown. */
export type PaymentState = 'claimed' | 'settling' | 'unknown' | 'settled' | 'refused';
