import { parseAmount } from '@weir/chains';
import type { Schema } from '@weir/service-kit';

export interface ReviewSettings {
  /** Decimal text in USD; empty for none. */
  reviewSingleBelowUsd: string;
}

export const reviewSchema: Schema<ReviewSettings> = {
  reviewSingleBelowUsd: {
    doc: 'Held transfers of a known value below this many USD are resolved by one person; empty: always two. The same for console and decision',
    format: (value: unknown) => {
      if (value !== '' && (typeof value !== 'string' || parseAmount(value) === undefined)) throw new Error('must be a decimal number');
    },
    default: '',
    env: 'WEIR_REVIEW_SINGLE_BELOW_USD',
  },
};
