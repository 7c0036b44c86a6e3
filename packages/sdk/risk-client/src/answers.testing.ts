import { systemClock } from '@weir/clock';
import { type QueryAnswer, RiskClient, type RiskClientOptions } from './index.ts';
import { type Behaviour, json, type RudeServer } from './rude-server.testing.ts';

export const apiKey = 'k3y-0123456789abcdef';
export const now = Date.UTC(2024, 0, 2, 18);

export function clientOf(server: RudeServer, over: Partial<RiskClientOptions> = {}): RiskClient {
  return new RiskClient({ baseUrl: server.baseUrl, apiKey, keyIn: 'spec', clock: { ...systemClock, now: () => now }, ...over });
}

export function askWhile(server: RudeServer, behaviour: Behaviour, over: Partial<RiskClientOptions> = {}): Promise<QueryAnswer> {
  server.behave(behaviour);
  return clientOf(server, over).queryTask('task-1');
}

/** A valid answer, and ways to break it. */
export const exposure = {
  entity: 'Mixer X',
  risk_type: 'mixer',
  exposure_type: 'indirect',
  hop_num: 2,
  volume: 12.5,
  percent: 3.25,
  hop_dic: { '1': ['0xaa'] },
};
export const data = {
  score: 80,
  risk_level: 'High',
  hacking_event: '',
  detail_list: ['Mixer'],
  risk_detail: [exposure],
  address_label: 'somebody',
  risk_report_url: 'https://reports.example/r?address=0xaa&token=abcdefgh12345678',
};
export const envelope = { success: true, msg: '', data };
export const withData = (over: Record<string, unknown>): Behaviour => json({ ...envelope, data: { ...data, ...over } });
export const without = (field: keyof typeof data): Behaviour => withData({ [field]: undefined });
export const withExposure = (over: Record<string, unknown>): Behaviour => withData({ risk_detail: [{ ...exposure, ...over }] });
export const low = { score: 3, risk_level: 'Low', detail_list: [], risk_detail: [], address_label: '' };

export const whole = JSON.stringify(envelope);
