import { newestPrice } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { succeeded } from '../../http/envelope.ts';
import { priceExample, priceRequest } from '../../http/examples.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { coinOf } from '../../http/parameters.ts';
import { price, succeededWith } from '../../http/schemas/answers.ts';
import { priceQuery } from '../../http/schemas/requests.ts';

const dayLength = '2026-01-31'.length;

export function priceOperations({ db, clock }: { db: Queryable; clock: Clock }): Operation[] {
  return [
    operation({
      name: 'v1_prices',
      surface: 'standard',
      method: 'GET',
      path: '/v1/prices',
      summary: 'The newest known price of a coin.',
      description:
        'Takes nothing from the limits of the key. The price of a day is the median of value divided by amount over its imported transfers (a sample of 25), as far as both are known. data is null where no price is known.',
      counted: false,
      request: priceQuery,
      answer: succeededWith(price),
      example: { request: priceRequest, answer: priceExample },
      refusals: ['InvalidParameter', 'UnsupportedToken'],
      read: ({ coin, day }) => {
        const { symbol } = coinOf(coin);
        return { coin: symbol, day: day ?? new Date(clock.now()).toISOString().slice(0, dayLength) };
      },
      run: async ({ coin, day }) => {
        const found = await newestPrice(db, coin, day);
        return succeeded(found === undefined ? null : { coin, ...found });
      },
    }),
  ];
}
