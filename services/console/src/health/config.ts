import type { Schema } from '@weir/service-kit';

export interface HealthSettings {
  ingestUrl: string;
  gateUrl: string;
}

export const healthSchema: Schema<HealthSettings> = {
  ingestUrl: {
    doc: 'Address of deposit-ingest, whose health the console shows, where it is another process than the console',
    format: 'http-url',
    default: '',
    env: 'WEIR_INGEST_URL',
  },
  gateUrl: {
    doc: 'Address of withdrawal-gate, whose health the console shows, where it is another process than the console',
    format: 'http-url',
    default: '',
    env: 'WEIR_GATE_URL',
  },
};
