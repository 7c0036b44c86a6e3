import type { Assessment, Exposure, Movement, SideSummary } from '@weir/risk-engine';
import { extractText, getDocumentProxy } from 'unpdf';
import { exposureParts, type Report } from './report.ts';

const exchange = '0x28c6c06298d514db089934071355e5743bf21d60';
const mule = '0x08723392ed15743cc38513c4925f5e6be5c17243';
const subject = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';

export function mixerExposure(more: Partial<Exposure> = {}): Exposure {
  return {
    side: 'in',
    entity: 'Tornado.Cash',
    risk_type: 'mixer',
    category: 'mixer',
    suspected: false,
    exposure_type: 'direct',
    hop_num: 1,
    volume: 1_250_000.5,
    percent: 31.2,
    side_percent: 31.2,
    counterparty: mule,
    path: [],
    sources: ['a public tag pack'],
    ...more,
  };
}

const move = (tx: string, from: string, to: string, usd: number | null): Movement => ({
  at: Date.UTC(2026, 2, 23, 13, 29, 9),
  tx,
  position: 0,
  from,
  to,
  usd,
  coin: 'ETH',
  amount: usd === null ? null : '312.5',
});

const flow = (usd: number, transfers: number, unknownTransfers: number) => ({ usd, transfers, unknownTransfers });
const side: SideSummary = {
  total: flow(2_000_000, 240, 3),
  counted: true,
  score: 74,
  upper_score: 79,
  direct: 0.312,
  traced: 0.1348,
  unread: 0.1,
  illicit_usd: { direct: 0, traced: 540_000 },
  addresses: 340,
};
const nothing = { total: flow(0, 0, 0), score: 3, upper_score: 3, direct: 0, traced: 0, unread: 0, addresses: 1 };

/** An address funded by a mixer and a theft. */
export const assessment: Assessment = {
  score: 74,
  level: 'High',
  exact: 74,
  coverage: 'full',
  detail_list: ['Interact With Malicious Address', 'Interact With High-risk Tag Address'],
  hacking_event: 'Ronin Bridge Hack',
  address_label: 'Unhosted wallet 7',
  contributions: [
    { key: 'base', points: 3 },
    { key: 'in:direct:mixer', points: 64.3 },
    { key: 'in:traced:theft', points: 6.7 },
  ],
  counterfactuals: [{ without: 'in:direct:mixer', score: 28, level: 'Low' }],
  exposures: [
    mixerExposure(),
    mixerExposure({
      entity: 'Ronin Bridge Hack',
      risk_type: 'illicit_activity',
      category: 'theft',
      exposure_type: 'indirect',
      hop_num: 3,
      volume: 540_000,
      percent: 13.48,
      side_percent: 13.48,
      hop_dic: { '1': [mule], '2': [exchange], '3': ['Ronin Bridge Hack'] },
      path: [
        move(`0x${'1'.repeat(64)}`, `0x${'9'.repeat(40)}`, exchange, 540_000),
        move(`0x${'2'.repeat(64)}`, exchange, mule, null),
        move(`0x${'3'.repeat(64)}`, mule, subject.toLowerCase(), 540_000),
      ],
    }),
  ],
  contradictions: [],
  labels: [{ name: 'Unhosted wallet 7', category: 'ordinary', confidence: 0.6, source: 'a public tag pack' }],
  bound: 0.1,
  illicit_usd: 540_000,
  sides: { in: side, out: { ...side, ...nothing, illicit_usd: { direct: 0, traced: 0 } } },
};

const scannedAtMs = Date.UTC(2026, 6, 16, 9, 30, 5);

/** The report of it, as given to the renderer. */
export function reportOf(result: Assessment = assessment, more: Partial<Report> = {}): Report {
  const { contributions, counterfactuals, sides, exposures, ...rest } = result;
  return {
    chain: 'ethereum',
    kind: 'address',
    subject,
    coin: 'ETH',
    direction: 'deposit',
    scannedAtMs,
    lostScanAtMs: undefined,
    madeAtMs: scannedAtMs + 3_600_000,
    version: '1.2.3',
    sandbox: undefined,
    uncountedLabels: [],
    ...rest,
    grounds: { contributions, counterfactuals, sides },
    worstAddress: result.worstAddress,
    ...exposureParts(exposures),
    ...more,
  };
}

/** The text of all pages as one line with single blanks, and the number of pages. */
export async function readPdf(pdf: Uint8Array): Promise<{ text: string; pages: number; texts: readonly string[] }> {
  // The reader transfers the buffer it is given.
  const { text: texts, totalPages: pages } = await extractText(await getDocumentProxy(pdf.slice()), { mergePages: false });
  return { text: texts.join('\n').replace(/\s+/g, ' '), pages, texts };
}
