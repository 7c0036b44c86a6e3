import { known, since, until } from './fill.ts';

export interface HistoryQuery {
  readonly name: string;
  readonly path: string;
  /** Pages that are read one after the other, each by the cursor of the one before; 0: from a cursor at the end of the list. */
  readonly pages?: number;
}

const at = (ms: number): string => new Date(ms).toISOString();
const middle = at((since + until) / 2);
const screenings = (query: string): HistoryQuery => ({ name: `screenings ${query || 'all'}`, path: `/v1/screenings?${query}` });
const reviews = (query: string): HistoryQuery => ({ name: `reviews ${query || 'all'}`, path: `/v1/reviews?${query}` });

/** The first sort is that of a list without one. */
function inEachSort(sorts: readonly string[], list: (query: string) => HistoryQuery): (filter: string) => HistoryQuery[] {
  return (filter) => sorts.map((sort, n) => list([...(filter === '' ? [] : [filter]), ...(n === 0 ? [] : [`sort=${sort}`])].join('&')));
}

/** Of a screening like most. */
export interface Sample {
  readonly address: string;
  readonly user: string;
  readonly txid: string;
}

/** In each order: every filter alone, filters that often and rarely meet, filters of which nothing is known, and what sums screenings up. */
export function historyQueries(sample: Sample): readonly HistoryQuery[] {
  const { hotUser, hotAddress, busyAddress, mediumUser, mediumAddress, rareRule, rareCoin, rareReason, sourceId, assignee } = known;
  return [
    ...[
      '',
      'kind=withdrawal',
      'action=review',
      'action=allow',
      'open=true',
      'level=Severe',
      'level=Low',
      `address=${sample.address}`,
      `address=${hotAddress}`,
      `user_id=${sample.user}`,
      `user_id=${hotUser}`,
      `source_id=${sourceId}`,
      `txid=${sample.txid}`,
      `subject=${sample.txid}`,
      `subject=${hotAddress}`,
      'coin=ETH',
      `coin=${rareCoin}`,
      `rule=${rareRule}`,
      'rule=deposit.Low',
      `since=${middle}`,
      `until=${middle}`,
      'chain=bitcoin',
      'chain=dogecoin',
      'reason=LEVEL_HIGH',
      `reason=${rareReason}`,
      'min_usd=1000',
      'min_usd=160000',
      'max_usd=20.5',
      'min_usd=160000&max_usd=162000',
      `user_id=${mediumUser}`,
      `address=${mediumAddress}`,
      // Often met together.
      'kind=deposit&action=allow&level=Low&coin=ETH',
      `address=${hotAddress}&coin=ETH`,
      'coin=ETH&min_usd=1000',
      // A common filter with a rare one.
      `address=${hotAddress}&level=Severe`,
      `address=${hotAddress}&action=review`,
      `user_id=${hotUser}&level=Severe`,
      `user_id=${hotUser}&action=review&kind=withdrawal`,
      `user_id=${hotUser}&address=${busyAddress}`,
      `coin=ETH&rule=${rareRule}`,
      `user_id=${hotUser}&rule=${rareRule}`,
      `address=${hotAddress}&coin=${rareCoin}`,
      'coin=SOL&level=Severe&kind=withdrawal',
      // Rarely met together, or never.
      `rule=${rareRule}&coin=${rareCoin}`,
      'level=Severe&action=allow',
      `address=${hotAddress}&user_id=nobody`,
      `address=${hotAddress}&min_usd=100000000`,
      'coin=ETH&rule=withdrawal.Low&level=Severe',
      'rule=deposit.Low&kind=withdrawal',
      `address=${hotAddress}&rule=withdrawal.Severe&kind=deposit`,
      `user_id=${hotUser}&coin=UNKNOWN`,
      'address=nothing',
      'user_id=nobody',
      'coin=UNKNOWN',
    ].flatMap(inEachSort(['newest', 'oldest', 'value'], screenings)),
    ...[
      '',
      'state=open',
      'state=pending_approval',
      'state=approved',
      'state=resolved',
      'late=true',
      `assignee=${assignee}`,
      'assignee=none',
      'assignee=Nobody',
      'due=overdue',
      'level=Severe',
      'level=High&kind=withdrawal',
      `user_id=${hotUser}`,
      `user_id=${hotUser}&state=resolved`,
      `address=${hotAddress}`,
      `address=${hotAddress}&state=resolved&level=Moderate`,
      'coin=ETH',
      `coin=${rareCoin}`,
      `rule=${rareRule}`,
      'chain=bitcoin',
      'chain=dogecoin',
      `reason=${rareReason}`,
      'reason=LEVEL_HIGH',
      'reason=NOTHING',
      'min_usd=100000',
      `min_usd=100000&assignee=${assignee}`,
      'reason=REVIEWED&state=resolved',
    ].flatMap(inEachSort(['oldest', 'newest', 'due', 'value'], reviews)),
    { ...screenings(`address=${hotAddress}`), name: 'screenings of the hot address, page 20', pages: 20 },
    { ...screenings('sort=value'), name: 'screenings by value, page 20', pages: 20 },
    { ...screenings(`sort=value&user_id=${hotUser}`), name: 'screenings of the hot user by value, page 20', pages: 20 },
    { ...screenings(`sort=value&address=${hotAddress}`), name: 'screenings of the hot address by value, page 20', pages: 20 },
    { ...reviews('sort=value'), name: 'reviews by value, page 20', pages: 20 },
    { ...screenings(''), name: 'screenings, the last page', pages: 0 },
    { ...screenings('sort=value'), name: 'screenings by value, the last page', pages: 0 },
    { ...screenings('sort=value&chain=bitcoin'), name: 'screenings of a chain by value, the last page', pages: 0 },
    { ...screenings(`sort=value&user_id=${hotUser}`), name: 'screenings of the hot user by value, the last page', pages: 0 },
    { ...screenings(`user_id=${hotUser}`), name: 'screenings of the hot user, the last page', pages: 0 },
    { name: 'a user', path: `/v1/users/${sample.user}` },
    { name: 'a user with 0.05 % of all', path: `/v1/users/${mediumUser}` },
    { name: 'the user with 1 % of all', path: `/v1/users/${hotUser}` },
    { name: 'a user of whom nothing is known', path: '/v1/users/nobody' },
    { name: 'an address', path: `/v1/addresses/${sample.address}` },
    { name: 'an address with 0.05 % of all', path: `/v1/addresses/${mediumAddress}` },
    { name: 'the address with 5 % of all', path: `/v1/addresses/${hotAddress}` },
    { name: 'statistics of 7 days', path: '/v1/statistics' },
    { name: 'statistics of 31 days', path: `/v1/statistics?since=${at(until - 31 * 86_400_000)}&until=${at(until)}` },
    { name: 'statistics of 31 days, not from midnight', path: `/v1/statistics?since=${at(until - 31 * 86_400_000 + 3_333_333)}` },
  ];
}
