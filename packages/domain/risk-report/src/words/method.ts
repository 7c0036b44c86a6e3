import { addFlows, type Flow, type Side, type SideSummary } from '@weir/risk-engine';
import type { Grounds, Report } from '../report.ts';
import { count, moment, share, usd } from './numbers.ts';
import type { Statement } from './statement.ts';

/** How a score is made, for readers who do not program. */
export const method: readonly string[] = [
  'Every label has a category, and every category a weight; the weights are public and stand, with their reasons, in the file weights.json of Weir’s risk engine.',
  'The address’s own labels count in full. What it received is followed backwards and what it sent forwards, hop by hop: each address on the way hands on what it holds in proportion to its dealings (haircut attribution).',
  'A share stops at whoever bears a risk label, which makes it an exposure, and at services such as exchanges, whose inside cannot be seen from outside. It is followed for 7 hops at most, and while it is at least 0.1 % of its side, smaller ones too while over half of the side is unseen; the rest is stated as not followed. What came back to the address itself is left out.',
  'An exposure weighs the more, the larger its share of the whole volume is, and the less, the more hops it is away. A label that its source is not sure of weighs less.',
  'The findings are joined so that none lowers the score and none is counted twice: score = 3 + 97 · (1 − (1 − a) · (1 − b) · …), a, b, … being the strength of each finding from 0 to 1. The points in this report are what each adds to those before it, the strongest first, and add up to the score.',
  'All coins of an address on one chain count together, so the coin that was asked with does not change the score.',
];

/** The method for a transaction. */
export const transactionMethod =
  'A transaction is scored by one side: its senders for a deposit, its receivers for a withdrawal. The side is as bad as its worst address, so that a bad input cannot be hidden among good ones. The points, the labels and the shares of each side are those of that worst address; the exposures are those of the whole side.';

const coverageWords: Readonly<Record<Report['coverage'], string>> = {
  none: 'Nothing was known: neither a label nor a transfer.',
  labels: 'Labels were known and no transfers, so nothing is known of its dealings.',
  transfers: 'Transfers were known and no label of its own.',
  full: 'Labels and transfers were known.',
};

/** Limits of this result in figures. The sides of a transaction are those of its worst address. */
export function unknownStatements({ kind, coverage, worstAddress }: Report, { sides }: Grounds): Statement[] {
  const section = 'unknown';
  const known: Statement = { section, finding: { kind: 'coverage' }, text: coverageWords[coverage] };
  if (coverage === 'none' || (kind === 'txid' && worstAddress === undefined)) return [known];
  const it = kind === 'address' ? 'it' : 'the address that scored worst';
  const service = (['in', 'out'] as const).find((side) => isService(sides[side]));
  if (service !== undefined) {
    const who = kind === 'address' ? 'It' : 'The address that scored worst';
    const text = `${who} is labelled as a service: what its customers do is not its own doing, so whom it dealt with was not looked at.`;
    return [known, { section, finding: { kind: 'side', side: service }, text }];
  }
  const whole = addFlows(sides.in.total, sides.out.total);
  return [
    known,
    ...(['in', 'out'] as const).flatMap((side) =>
      sideWords(it, side, sides[side], whole).map((text): Statement => ({ section, finding: { kind: 'side', side }, text })),
    ),
  ];
}

function sideWords(it: string, side: Side, { total, bound }: SideSummary, whole: Flow): string[] {
  const did = side === 'in' ? 'received' : 'sent';
  const nobody = side === 'in' ? 'from token contracts and from nobody (minting)' : 'to token contracts and to nobody (burning)';
  if (total.transfers === 0) return [`No transfer that ${it} ${did} is in the data, apart from any ${nobody}.`];
  return [
    `Of what ${it} ${did} (${volumeWords(total)}), ${share(bound)} was not followed: the part that leads to risks is at most that much larger than stated.`,
    ...unknownValues(total, whole),
  ];
}

/** An unknown value is not 0.00 USD. */
function volumeWords({ transfers, unknownTransfers, usd: value }: Flow): string {
  return `${count(transfers)} ${transfers === 1 ? 'transfer' : 'transfers'}, ${transfers === unknownTransfers ? 'value unknown' : `${usd(value)} USD`}`;
}

/** As `shareOf` of the engine weighs them: the average is that of both sides. */
function unknownValues({ transfers, unknownTransfers }: Flow, whole: Flow): string[] {
  if (unknownTransfers === 0) return [];
  if (unknownTransfers === transfers) return ['None of them has a known value: each was taken to be worth as much as any other.'];
  const lead = `${count(unknownTransfers)} of these ${count(transfers)} transfers have no known value;`;
  // Without a sum there is no average: transfers are counted.
  if (whole.usd <= 0 || !Number.isFinite(whole.usd)) return [`${lead} each transfer was taken to be worth as much as any other.`];
  return [
    `${lead} each was taken to be worth as much as the average of the others, received or sent, all of them together at most as much as the others together.`,
  ];
}

/** Attribution stops at a service: its transfers are not read. */
export function isService({ total, services, expanded }: SideSummary): boolean {
  return total.transfers > 0 && services === 1 && expanded === 0;
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
