import { attributionRules, type Flow, scoringRules, type Side, type SideSummary } from '@weir/risk-engine';
import type { Grounds, Report } from '../report.ts';
import { count, moment, share, usd } from './numbers.ts';
import type { Statement } from './statement.ts';

const { high_usd, direct_moderate_usd, severe_usd, sanctioned_payment_usd } = scoringRules;
const { least_importance, probable_service_peers } = attributionRules;

/** How a score is made, for readers who do not program. */
export const method: readonly string[] = [
  'Every label has a category, and every category a weight; the weights are public and stand, with their reasons, in the file weights.json of Weir’s risk engine.',
  'The address’s own labels count in full. The source of its funds and the use of its funds are assessed apart, and the worse of the two counts.',
  'Money is followed in the order of time: an address pays from what it had received until then. What came later is no part of it. Received money is followed three times: each payment takes a part of all (haircut), the oldest money (FIFO) or the latest (LIFO); the worst result counts. Money that comes back from a service is the address’s own old money.',
  `A share stops at whoever bears a risk label, which makes it an exposure, and at services such as exchanges, whose inside cannot be seen from outside. Addresses that brought less than ${share(least_importance)} of a side or ${count(high_usd)} USD are read only where much would stay unread; the rest is stated as not followed.`,
  `Direct dealings weigh the more, the larger their share of the side is: 1 − (1 − share)^${scoringRules.direct_exponent}. What came through others weighs nearly in proportion, a little less with each holder, and at most ${Math.round(100 * attributionRules.probable_service_weight)} % of itself behind an unlabelled address with ${probable_service_peers} or more payers and payees.`,
  `Sums in USD count beside shares: ${count(high_usd)} USD of crime that was received are High and ${count(direct_moderate_usd)} USD straight from it Moderate, however much other money there is, and ${count(sanctioned_payment_usd)} USD paid to a sanctioned entity are High. Less than ${count(severe_usd)} USD received is never Severe. A payment to a thief is at most High, because the payer may be his victim.`,
  'Each finding has the points that it adds to those before it. Floors add points and caps take some away. All of them together are the score.',
  'All coins of an address on one chain count together, so the coin that was asked with does not change the score.',
];

/** The method for a transaction. */
export const transactionMethod =
  'A transaction is scored by one side: its senders for a deposit, by the source of their funds, and its receivers for a withdrawal, by source and use. The side is as bad as its worst address, so that a bad input cannot be hidden among good ones. The points, the labels and the shares of each side are those of that worst address; the exposures are those of the whole side.';

const coverageWords: Readonly<Record<Report['coverage'], string>> = {
  none: 'Nothing was known: neither a label nor a transfer.',
  labels: 'Labels were known and no transfers, so nothing is known of its dealings.',
  transfers: 'Transfers were known and no label of its own.',
  full: 'Labels and transfers were known.',
};

/** Of a transaction. */
const noAddress = 'Nothing was known of the side: no address of it is in the data.';

/** Limits of this result in figures. The sides of a transaction are those of its worst address. */
export function unknownStatements({ kind, coverage, worstAddress }: Report, { sides }: Grounds): Statement[] {
  const section = 'unknown';
  const isNobody = kind === 'txid' && coverage === 'none';
  const known: Statement = { section, finding: { kind: 'coverage' }, text: isNobody ? noAddress : coverageWords[coverage] };
  if (coverage === 'none' || (kind === 'txid' && worstAddress === undefined)) return [known];
  const it = kind === 'address' ? 'it' : 'the address that scored worst';
  if (isService(sides)) {
    const who = kind === 'address' ? 'It' : 'The address that scored worst';
    const text = `${who} is labelled as a service: what its customers do is not its own doing, so whom it dealt with was not looked at.`;
    return [known, { section, finding: { kind: 'side', side: 'in' }, text }];
  }
  return [
    known,
    ...(['in', 'out'] as const).flatMap((side) =>
      sideWords(it, side, sides[side]).map((text): Statement => ({ section, finding: { kind: 'side', side }, text })),
    ),
  ];
}

const followWords = {
  in: { did: 'received', to: 'to its source', part: 'comes from', nobody: 'from token contracts and from nobody (minting)' },
  out: { did: 'sent', to: 'to its use', part: 'leads to', nobody: 'to token contracts and to nobody (burning)' },
} as const;

function sideWords(it: string, side: Side, { total, unread, counted, upper_score }: SideSummary): string[] {
  const { did, to, part, nobody } = followWords[side];
  if (total.transfers === 0) return [`No transfer that ${it} ${did} is in the data, apart from any ${nobody}.`];
  const whole = `Of what ${it} ${did} (${volumeWords(total)})`;
  if (!counted)
    return [`${whole}, only direct dealings were looked at: what a depositor did with other money does not count in the score.`];
  const upper = unread > 0 ? ` Were all of that stolen, this side alone would score ${Math.round(upper_score)}.` : '';
  return [
    `${whole}, ${share(unread)} was not followed ${to}: the part that ${part} risks is at most that much larger than stated.${upper}`,
    ...unknownValues(total),
  ];
}

/** An unknown value is not 0.00 USD. */
function volumeWords({ transfers, unknownTransfers, usd: value }: Flow): string {
  return `${count(transfers)} ${transfers === 1 ? 'transfer' : 'transfers'}, ${transfers === unknownTransfers ? 'value unknown' : `${usd(value)} USD`}`;
}

function unknownValues({ transfers, unknownTransfers, usd: value }: Flow): string[] {
  if (unknownTransfers === 0) return [];
  if (unknownTransfers === transfers) return ['None of them has a known value: each was taken to be worth as much as any other.'];
  const lead = `${count(unknownTransfers)} of these ${count(transfers)} transfers have no known value;`;
  // Without a sum there is no average: transfers are counted.
  if (value <= 0) return [`${lead} each was taken to be worth 1 USD.`];
  return [
    `${lead} each was taken to be worth as much as the average of the others, all of them together at most as much as the others together.`,
  ];
}

/** It has transfers, and none was read. */
export function isService({ in: received, out: sent }: Grounds['sides']): boolean {
  return received.addresses + sent.addresses === 0 && received.total.transfers + sent.total.transfers > 0;
}

/** True of every result. */
export const limits: readonly string[] = [
  'An address without a label may belong to anybody: what nobody has published is not in the data.',
  'Transfers that were not loaded into this installation are not counted. Money that crosses a bridge goes on on another chain and is not followed there.',
  'Shares are proportions: which coin went where cannot be told once they are mixed in one address.',
];

export function reproductionStatements(report: Report): Statement[] {
  const subject = `${report.kind === 'address' ? 'address' : 'txid'}=${report.subject}`;
  const say = (text: string): Statement => ({ section: 'sources', finding: { kind: 'subject' }, text });
  if (report.sandbox !== undefined)
    return [say(`GET /sandbox/v3/risk_score?coin=${report.coin}&${subject} answers this result at any time.`)];
  return [
    say(
      `Ask for POST /v3/risk_score_create_task with coin=${report.coin}, ${subject}${report.kind === 'txid' ? `, direction=${report.direction}` : ''}, or for GET /v2/risk_score with the same coin and subject.`,
    ),
    say(
      `The same version (Weir ${report.version}) gives the same result on the same labels and transfers. Those of this report are what was known at ${moment(report.scannedAtMs ?? report.madeAtMs)}; what was learnt since may change it.`,
    ),
  ];
}
