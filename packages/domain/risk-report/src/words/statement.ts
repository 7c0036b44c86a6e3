import type { Contradiction, Counterfactual, Label, Side } from '@weir/risk-engine';
import type { ReportExposure } from '../report.ts';

/** The part of a result that a statement follows from. */
export type Finding =
  | { readonly kind: 'level' }
  | { readonly kind: 'coverage' }
  | { readonly kind: 'predefined' }
  | { readonly kind: 'contribution'; readonly key: string }
  | { readonly kind: 'contributions' }
  | { readonly kind: 'counterfactual'; readonly counterfactual: Counterfactual }
  | { readonly kind: 'label'; readonly label: Label }
  | { readonly kind: 'labels' }
  | { readonly kind: 'contradiction'; readonly contradiction: Contradiction }
  | { readonly kind: 'exposure'; readonly exposure: ReportExposure }
  | { readonly kind: 'exposures' }
  | { readonly kind: 'side'; readonly side: Side }
  | { readonly kind: 'subject' };

export type Section = 'meaning' | 'score' | 'labels' | 'exposures' | 'unknown' | 'sources';

/** One or two sentences about the subject, with their finding. */
export interface Statement {
  readonly section: Section;
  readonly finding: Finding;
  readonly text: string;
}
