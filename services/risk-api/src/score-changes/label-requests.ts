import { createHash } from 'node:crypto';
import { approvedLabelRequests, type LabelRequest, settleLabelRequest } from '@weir/chain-store';
import { addressForms } from '@weir/chains';
import { type Clock, repeat } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';
import { parseTraceparent, runWithin } from '@weir/tracing';
import { endLabels, importChainRecords, withdrawLabels } from './imports.ts';

const lookEveryMs = 5_000;
const atOnce = 20;
/** A list that people keep themselves. */
const confidence = 0.9;

export interface LabelRequestOptions {
  /** Of the database's owner: only that may store labels. */
  readonly pool: Pool;
  readonly clock: Clock;
}

/** Applies changes of labels that two people agreed on, until `signal` aborts. */
export async function keepRequestsApplied(options: LabelRequestOptions & { logger: Logger; signal: AbortSignal }): Promise<void> {
  const { clock, logger, signal } = options;
  const onError = (err: unknown): void => logger.warn({ err }, 'approved changes of labels were not applied; trying again');
  await repeat({ clock, every: lookEveryMs, signal, onError }, async () => void (await applyLabelRequests(options)));
}

/** Applies each approved change once, in order. A repeat after a crash changes nothing further. Returns their number. */
export async function applyLabelRequests(options: LabelRequestOptions): Promise<number> {
  const { pool, clock } = options;
  const requests = await approvedLabelRequests(pool, atOnce);
  for (const request of requests) {
    const settled = await runWithin(parseTraceparent(request.traceparent ?? undefined), () => applyOne(request, options));
    await settleLabelRequest(pool, request.request_id, { ...settled, at: new Date(clock.now()) });
  }
  return requests.length;
}

async function applyOne(
  request: LabelRequest,
  { pool, clock }: LabelRequestOptions,
): Promise<{ labels: number | null; failure: string | null }> {
  const { action, scope, reason, requested_by_name: person } = request;
  const why = { reason, person };
  if (action === 'add') return add(request, { pool, clock });
  const { source = '' } = scope;
  if (action === 'withdraw') return done(await withdrawLabels(pool, { source }, why));
  const addresses = addressForms(scope.address ?? '');
  const at = scope.at === undefined ? undefined : new Date(scope.at);
  return done(await endLabels(pool, { addresses, source, category: scope.category, at }, why));
}

/** An import of one label, with a key like that of a file. */
async function add(
  { request_id: id, scope, requested_by_name: person }: LabelRequest,
  { pool, clock }: LabelRequestOptions,
): Promise<{ labels: number | null; failure: string | null }> {
  const { chain = '', address = '', name = '', category = '', source = '' } = scope;
  const row = { chain, address, name, category, source, valid_from: null, valid_to: null, confidence };
  const rejected: string[] = [];
  const run = await importChainRecords(pool, {
    kind: 'labels',
    key: createHash('sha256').update(`label request ${id}`).digest('hex'),
    name: `label request ${id}`,
    person,
    clock,
    read: async function* (after) {
      if (after < 1) yield { number: 1, rows: [row] };
    },
    onRejected: ({ reason }) => void rejected.push(reason),
  });
  const [why] = rejected;
  return why === undefined ? done(run.inserted) : failed(why);
}

const done = (labels: number) => ({ labels, failure: null });
const failed = (failure: string) => ({ labels: null, failure });
