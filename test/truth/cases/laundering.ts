import type { Story } from '../story.ts';

/** A large theft; small ones are in the held-out part of a few families. */
export const loot = (story: Story): number => story.between(50_000, 500_000);

/** The thief pays the first of `length` new wallets, each pays the next. Returns the last. */
export function chain(story: Story, from: string, length: number, usd: number, waitHours = 0): string {
  let payer = from;
  for (let index = 0; index < length; index++) {
    const wallet = story.wallet();
    story.pass(waitHours);
    story.pay(payer, wallet, usd);
    payer = wallet;
  }
  return payer;
}

/** Own money passes through the subject, in pieces, after the stolen money. */
export function turnover(story: Story, subject: string, usd: number): void {
  const exchange = story.labelled('exchange');
  for (let index = 0; index < 20; index++) {
    story.pay(exchange, subject, usd / 20);
    story.pay(subject, story.wallet('payee'), usd / 20);
  }
}
