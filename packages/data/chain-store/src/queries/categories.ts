import { canonicalCategory, type Label } from '@weir/risk-engine';

/** The eight names of `address_action`. */
export const actions = ['Exchange', 'DEX', 'Bridge', 'Mixer', 'NFT', 'Gambling', 'Contract', 'Transfer'] as const;
export type Action = (typeof actions)[number];

/** The specification's `label_type`; empty: unclassified. */
export const labelTypes = ['exchange', 'defi', 'mixer', 'nft', ''] as const;
export type LabelType = (typeof labelTypes)[number];

export interface Kind {
  /** The action of a transfer with the bearer. */
  readonly action: Action;
  readonly labelType: LabelType;
  /** The `type` of a counterparty unit: 2 malicious, 3 entity, 4 contract. */
  readonly unit: 2 | 3 | 4;
}

const entity = { action: 'Transfer', labelType: '', unit: 3 } as const;
const malicious = { action: 'Transfer', labelType: '', unit: 2 } as const;

/**
 * By the engine's categories. The specification groups "instant exchanges without KYC" (`risk_exchange`) with the mixers; a transfer with
 * one is still an exchange. It groups centralised services (`service`: wallets, custodians, processors) with the exchanges.
 */
export const kinds: Readonly<Record<string, Kind>> = {
  sanctioned: malicious,
  terrorism: malicious,
  theft: malicious,
  ransom: malicious,
  phishing: malicious,
  darknet: malicious,
  scam: malicious,
  illicit: malicious,
  mixer: { action: 'Mixer', labelType: 'mixer', unit: 3 },
  risk_exchange: { action: 'Exchange', labelType: 'mixer', unit: 3 },
  gambling: { action: 'Gambling', labelType: '', unit: 3 },
  bridge: { action: 'Bridge', labelType: 'defi', unit: 3 },
  exchange: { action: 'Exchange', labelType: 'exchange', unit: 3 },
  defi: { action: 'DEX', labelType: 'defi', unit: 3 },
  nft: { action: 'NFT', labelType: 'nft', unit: 3 },
  service: { action: 'Transfer', labelType: 'exchange', unit: 3 },
  token: { action: 'Contract', labelType: '', unit: 4 },
  ordinary: entity,
};

export function kindOf(label: Label): Kind {
  return kinds[canonicalCategory(label.category)] ?? entity;
}

export function actionOf(labels: readonly Label[]): Action {
  return labels.map((label) => kindOf(label).action).find((action) => action !== 'Transfer') ?? 'Transfer';
}
