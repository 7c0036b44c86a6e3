import { createHash } from 'node:crypto';
import { findCoin, parseAddress, parseTxid } from '@weir/chains';
import type { Direction, Level } from '@weir/risk-engine';
import type { z } from 'zod';
import type { scoreSandbox, targetList } from '../../http/schemas/answers.ts';
import data from './targets.json' with { type: 'json' };

type SandboxResult = z.output<typeof scoreSandbox>;

/** One of the ten fixed answers. The numbers are made up for integration tests, and say nothing about the holders of the addresses. */
export interface SandboxTarget {
  readonly coin: 'ETH' | 'TRX';
  readonly address?: string;
  readonly txid?: string;
  readonly why: string;
  readonly address_label: Readonly<Record<Direction, string>>;
  readonly score: number;
  readonly risk_level: Level;
  readonly hacking_event: string;
  readonly detail_list: readonly string[];
  readonly risk_detail: SandboxResult['risk_detail'];
}

export const sandboxTargets = data as unknown as readonly SandboxTarget[];

export function listTargets(): z.output<typeof targetList>['targets'] {
  return sandboxTargets.map(({ coin, address, txid, risk_level, score }) => ({
    coin,
    ...(address === undefined ? { txid } : { address }),
    risk_level,
    score,
  }));
}

/** Any letter case; undefined when there is none. */
export function findTarget(coin: string, wanted: { address: string | undefined; txid: string | undefined }): SandboxTarget | undefined {
  const chain = findCoin(coin)?.chain;
  if (chain === undefined) return undefined;
  const address = wanted.address === undefined ? undefined : parseAddress(chain, wanted.address);
  const txid = wanted.txid === undefined ? undefined : parseTxid(chain, wanted.txid);
  return sandboxTargets.find((target) => {
    if (target.coin !== coin) return false;
    if (target.address !== undefined) return address !== undefined && parseAddress(chain, target.address) === address;
    return txid !== undefined && target.txid === txid;
  });
}

export function targetResult(target: SandboxTarget, direction: Direction, reportUrl: string): SandboxResult {
  const { score, hacking_event, detail_list, risk_level, risk_detail, address_label } = target;
  return {
    score,
    hacking_event,
    detail_list: [...detail_list],
    risk_level,
    risk_detail,
    address_label: address_label[direction],
    contradictions: [],
    risk_report_url: reportUrl,
    coverage: 'full',
  };
}

/**
 * The id of a target's task. It derives from the key's hash, so only the key's holder can know it, and every replica can resolve it
 * without storage.
 */
export function sandboxTaskId(keyHash: Buffer, target: SandboxTarget, direction: Direction): string {
  const subject = target.address ?? target.txid ?? '';
  return createHash('sha256')
    .update('weir sandbox task\n')
    .update(keyHash)
    .update(`\n${target.coin}\n${subject}\n${direction}`)
    .digest('hex')
    .slice(0, 32);
}

/** Resolves a task id; undefined when the key has no such task. */
export function findTask(keyHash: Buffer, taskId: string): { target: SandboxTarget; direction: Direction } | undefined {
  for (const target of sandboxTargets) {
    for (const direction of ['deposit', 'withdraw'] as const) {
      if (sandboxTaskId(keyHash, target, direction) === taskId) return { target, direction };
    }
  }
  return undefined;
}
