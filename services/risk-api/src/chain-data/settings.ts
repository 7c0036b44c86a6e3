import { chains } from '@weir/chains';
import type { ChainDataSettings } from './status.ts';

export const defaultChainDataSettings: ChainDataSettings = {
  labelsMaxAgeMs: 604_800_000,
  transfersMaxAgeMs: 86_400_000,
  requiredChains: '',
};

const knownChains = (value: unknown): void => {
  const names = value === '' ? [] : String(value).split(',');
  const known: readonly string[] = chains;
  if (new Set(names).size < names.length || !names.every((name) => known.includes(name)))
    throw new Error(`must be a list of ${chains.join(', ')}, with commas and each once`);
};

export const chainDataSchema = {
  labelsMaxAgeMs: {
    doc: 'Labels of a chain that were last imported longer ago are stale: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultChainDataSettings.labelsMaxAgeMs,
    env: 'WEIR_LABELS_MAX_AGE_MS',
  },
  transfersMaxAgeMs: {
    doc: 'Transfers of a chain are stale when the newest one is older: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultChainDataSettings.transfersMaxAgeMs,
    env: 'WEIR_TRANSFERS_MAX_AGE_MS',
  },
  requiredChains: {
    doc: 'Chains that must have labels and transfers, with commas; empty: only what has been imported is looked at',
    format: knownChains,
    default: defaultChainDataSettings.requiredChains,
    env: 'WEIR_REQUIRED_CHAINS',
  },
};
