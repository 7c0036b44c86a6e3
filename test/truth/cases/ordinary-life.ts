import type { Story } from '../story.ts';

/** Salary and expenses of a person, through exchanges. Returns what came in. */
export function ordinaryLife(story: Story, person: string, payments = 12, median = 1_500): number {
  const exchange = story.labelled('exchange');
  let income = 0;
  for (let index = 0; index < payments; index++) {
    const usd = story.amount(median, 0.5);
    story.pay(exchange, person, usd);
    story.pay(person, story.random() < 0.5 ? exchange : story.wallet('shop'), usd * story.between(0.3, 0.9));
    income += usd;
  }
  return income;
}
