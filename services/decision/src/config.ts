import { reviewSchema, type ReviewSettings } from '@weir/reviews/settings';
import type { Schema } from '@weir/service-kit';

export interface DecisionSettings extends ReviewSettings {
  policyFile: string;
}

export const decisionSchema: Schema<DecisionSettings> = {
  policyFile: {
    doc: 'Policy file (YAML), looked at every second; empty: the policy in force, at first the default one',
    format: String,
    default: '',
    env: 'WEIR_POLICY_FILE',
  },
  ...reviewSchema,
};
