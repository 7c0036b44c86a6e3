import type { Schema } from '@weir/service-kit';

export interface DecisionSettings {
  policyFile: string;
}

export const decisionSchema: Schema<DecisionSettings> = {
  policyFile: { doc: 'Policy file (YAML); empty: the default policy', format: String, default: '', env: 'WEIR_POLICY_FILE' },
};
