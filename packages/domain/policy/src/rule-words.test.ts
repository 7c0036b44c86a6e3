import { expect, test } from 'vitest';
import { parsePolicy, readPolicy } from './policy.ts';
import { rulesInWords } from './rule-words.ts';

const windows = 'history:\n  day: { of: user, kind: withdrawal, window: 24h }\n  pair: { of: user_counterparty, window: 7d }\n';

function wordsOf(when: string): string | null | undefined {
  const text = `${readPolicy()}${windows}rules:\n  - { name: a, action: review, when: ${JSON.stringify(when)} }\n`;
  return rulesInWords(parsePolicy(text))[0];
}

test.each([
  [
    'transfer.kind == "withdrawal" && history.day.count > 20',
    'the kind is “withdrawal” and the number of withdrawals of the same user in 24h is above 20',
  ],
  ['transfer.usd_value >= decimal("50000.50")', 'the value in USD is at least 50,000.50'],
  ['!has(transfer.usd_value) || transfer.usd_value >= 100000', 'the value in USD is not known or the value in USD is at least 100,000'],
  [
    'has(history.day) && history.day.usd < 5',
    'the number of withdrawals of the same user in 24h is known and the value in USD of withdrawals of the same user in 24h is below 5',
  ],
  [
    'result.risk_detail.exists(e, e.risk_type == "mixer" && e.hop_num <= 2)',
    'there is an exposure such that (its risk type is “mixer” and its number of hops is at most 2)',
  ],
  [
    'transfer.coin in ["BTC", "ETH"] && (result.score > 50 || result.score < 5)',
    'the coin is one of “BTC”, “ETH” and (the score is above 50 or the score is below 5)',
  ],
  ['"PRICE_UNAVAILABLE" in result.reasons', 'the reasons contain “PRICE_UNAVAILABLE”'],
  ['!(result.risk_level == "Low")', 'not (the level is “Low”)'],
  ['size(result.reasons) > 1', 'the number of reasons is above 1'],
  ['transfer.occurred_at.getHours() < 5', 'the hour of the time of the transfer, in UTC, is below 5'],
  ['result.address_label.lowerAscii().contains("mixer")', 'the label in lower case contains “mixer”'],
  [
    'history.pair.known_usd + transfer.amount > 3',
    'the known value in USD of transfers of the same user and counterparty in 7d plus the amount is above 3',
  ],
  ['transfer.amount - (transfer.usd_value - transfer.amount) > 3', 'the amount minus (the value in USD minus the amount) is above 3'],
  ['transfer.occurred_at > timestamp("2031-01-31T00:00:00Z")', 'the time of the transfer is above 2031-01-31T00:00:00Z'],
])('%s', (when, words) => {
  expect(wordsOf(when)).toBe(words);
});

test('a form without words has none, and the others have theirs', () => {
  expect(wordsOf('result.score > 3 ? true : transfer.amount > 1')).toBeNull();
});
