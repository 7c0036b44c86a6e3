import { startAuditWriter } from '@weir/audit-writer';
import { startConsole } from '@weir/console';
import { startDecision } from '@weir/decision';
import { startDepositIngest } from '@weir/deposit-ingest';
import { startScoring } from '@weir/scoring';
import { loggerOf, type Pipeline, type Service } from '@weir/service-kit';
import { withSessions } from '@weir/sessions';
import { startWithdrawalGate } from '@weir/withdrawal-gate';
import type { PipelineSettings } from './settings.ts';
import { chosenStages, type StageName } from './stages.ts';

type Start = (pipeline: Pipeline, settings: PipelineSettings) => Promise<Service>;

const starts: Readonly<Record<StageName, Start>> = {
  'audit-writer': startAuditWriter,
  console: startConsole,
  decision: startDecision,
  scoring: startScoring,
  'withdrawal-gate': startWithdrawalGate,
  'deposit-ingest': startDepositIngest,
};

/** The services of `WEIR_STAGES` as one. They share a pipeline, and a batch is carried through those of its path in one transaction. */
export async function startStages(pipeline: Pipeline, settings: PipelineSettings): Promise<Service> {
  const services: Service[] = [];
  const stop = async (): Promise<void> => {
    for (const service of services.splice(0).toReversed())
      await service.stop().catch((err: unknown) => pipeline.logger.warn({ err }, 'could not stop in order'));
  };
  try {
    const names = chosenStages(settings.stages);
    const shown = names.includes('console') ? withSessions(pipeline, settings) : pipeline;
    for (const name of names) {
      const own = { ...(isShown(name) ? shown : pipeline), logger: loggerOf(pipeline.logger, name) };
      const service = await starts[name](own, settings);
      pipeline.metrics.stageInfo.set({ stage: name }, 1);
      services.push({ ...service, operations: (service.operations ?? []).map((each) => ({ ...each, service: name })) });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const pages = services.find((service) => service.pages !== undefined)?.pages;
  return {
    operations: services.flatMap((service) => service.operations ?? []),
    ...(pages === undefined ? {} : { pages }),
    // Transfers are accepted without them.
    degraded: async () => distinct((await Promise.all(services.map(async (service) => (await service.unavailable?.()) ?? []))).flat()),
    warnings: () => distinct(services.flatMap((service) => service.warnings?.() ?? [])),
    drain: () => {
      for (const service of services) service.drain?.();
    },
    stop,
  };
}

/** Services with operations that pages of the console call. */
function isShown(name: StageName): boolean {
  return name === 'audit-writer' || name === 'decision' || name === 'scoring';
}

/** Services share some of what they report, such as the OIDC provider. */
function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
