import { readEvidence, type RiskClient, type Target } from '@weir/risk-client';
import { unavailable } from '@weir/risk-client/raw';
import type { ProviderLimits, Question, RiskProvider } from './port.ts';

/** A provider with the API of the specification, such as the risk API of Weir. */
export function specifiedProvider(
  client: RiskClient,
  { name, limits }: { readonly name: string; readonly limits: ProviderLimits },
): RiskProvider {
  return {
    name,
    limits,
    needs: () => [],
    // The caller has looked for a reusable result already.
    ask: (question, signal) => client.createTask(targetOf(question), signal, { noCache: true }),
    follow: (taskId, signal) => client.queryTask(taskId, signal),
    explain: (evidence) => {
      const result = readEvidence(evidence);
      return result === undefined ? unavailable('UNREADABLE', 'the evidence has no result') : { result, mapped: [] };
    },
    changes: (from, signal) => client.scoreChanges(from, signal),
    coins: async (signal) => {
      const answer = await client.status(signal);
      if (answer.kind === 'status') return { kind: 'coins', coins: answer.status.support_coin };
      return answer.kind === 'rejected' && answer.status === 404 ? { kind: 'not_found' } : answer;
    },
  };
}

function targetOf({ coin, subject_type, subject, direction }: Question): Target {
  return subject_type === 'txid' ? { coin, txid: subject, direction } : { coin, address: subject };
}
