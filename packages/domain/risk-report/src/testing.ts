import type { Assessment, Exposure } from '@weir/risk-engine';
import { extractText, getDocumentProxy } from 'unpdf';
import { exposureParts, type Report } from './report.ts';

export function mixerExposure(more: Partial<Exposure> = {}): Exposure {
  return {
    entity: 'Tornado.Cash',
    risk_type: 'mixer',
    exposure_type: 'direct',
    hop_num: 1,
    volume: 1_250_000.5,
    percent: 31.2,
    sources: ['a public tag pack'],
    ...more,
  };
}

const flow = (usd: number, transfers: number, unknownTransfers: number) => ({ usd, transfers, unknownTransfers });

/** An address funded by a mixer and a theft. */
export const assessment: Assessment = {
  score: 74,
  level: 'High',
  coverage: 'full',
  detail_list: ['Interact With Malicious Address', 'Interact With High-risk Tag Address'],
  hacking_event: 'Ronin Bridge Hack',
  address_label: 'Unhosted wallet 7',
  contributions: [
    { key: 'base', points: 3 },
    { key: 'exposure:mixer', points: 64.3 },
    { key: 'indirect:theft', points: 6.7 },
  ],
  counterfactuals: [{ without: 'exposure:mixer', score: 28, level: 'Low' }],
  exposures: [
    mixerExposure(),
    mixerExposure({
      entity: 'Ronin Bridge Hack',
      risk_type: 'illicit_activity',
      exposure_type: 'indirect',
      hop_num: 3,
      volume: 540_000,
      percent: 13.48,
      hop_dic: {
        '1': ['0x08723392ed15743cc38513c4925f5e6be5c17243'],
        '2': ['0x28c6c06298d514db089934071355e5743bf21d60'],
        '3': ['Ronin Bridge Hack'],
      },
    }),
  ],
  labels: [{ name: 'Unhosted wallet 7', category: 'ordinary', confidence: 0.6, source: 'a public tag pack' }],
  sides: {
    in: { total: flow(2_000_000, 240, 3), risk: 0.4, services: 0.3, ends: 0.2, returned: 0, bound: 0.1, expanded: 340 },
    out: { total: flow(0, 0, 0), risk: 0, services: 0, ends: 1, returned: 0, bound: 0, expanded: 0 },
  },
};

const scannedAtMs = Date.UTC(2026, 6, 16, 9, 30, 5);

/** The report of it, as given to the renderer. */
export function reportOf(result: Assessment = assessment, more: Partial<Report> = {}): Report {
  const { contributions, counterfactuals, sides, exposures, ...rest } = result;
  return {
    chain: 'ethereum',
    kind: 'address',
    subject: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
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
export async function readPdf(pdf: Uint8Array): Promise<{ text: string; pages: number }> {
  // The reader transfers the buffer it is given.
  const { text, totalPages } = await extractText(await getDocumentProxy(pdf.slice()), { mergePages: true });
  return { text: text.replace(/\s+/g, ' '), pages: totalPages };
}
