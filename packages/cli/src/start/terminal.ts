import { chains, displayAddress, parseAddress } from '@weir/chains';
import type { ScreeningDecided } from '@weir/contracts';
import type { Summary } from '@weir/console';
import type { Style } from '../style.ts';

/** One decision as one line: action, level, score, reasons, the transfer. */
export function decisionLine(decided: ScreeningDecided, style: Style): string {
  const { transfer } = decided;
  const level = `${(decided.risk_level ?? decided.outcome).padEnd(11)} ${decided.score === null ? '  -' : String(decided.score).padStart(3)}`;
  const value = transfer.usd_value === null ? 'value unknown' : `${money(transfer.usd_value)} USD`;
  const amount = `${shorten(transfer.amount)} ${transfer.coin}`;
  const from = transfer.from_address === null ? '' : ` from ${shortAddress(transfer.chain, transfer.from_address)}`;
  const revised = decided.supersedes === null ? '' : ` (revision ${decided.revision})`;
  // The line already shows the level; its code appears only as the first reason.
  const [first = '', ...rest] = decided.reason_codes;
  const reasons = [first, ...rest.filter((code) => !code.startsWith('LEVEL_'))].join(', ');
  return `${style.action(decided.action)}  ${level}  ${reasons.padEnd(20)}  ${amount}, ${value}${from}${revised}`;
}

/** Decisions by action and level, as a table. */
export function summaryTable(summary: readonly Summary[], style: Style): string {
  const levels = ['Severe', 'High', 'Moderate', 'Low', 'none'];
  const rows = (['block', 'review', 'allow'] as const).map((action) => {
    const counts = levels.map((level) =>
      summary.filter((s) => s.action === action && (s.level ?? 'none') === level).reduce((sum, s) => sum + s.count, 0),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    return `  ${style.action(action)}${[...counts, total].map((count) => String(count || '·').padStart(10)).join('')}`;
  });
  const head = `  ${''.padEnd(6)}${[...levels.map((level) => (level === 'none' ? 'no level' : level)), 'all'].map((name) => name.padStart(10)).join('')}`;
  return [style.dim(head), ...rows].join('\n');
}

function shortAddress(chain: string, address: string): string {
  const known = chains.find((each) => each === chain);
  const shown = known === undefined || parseAddress(known, address) === undefined ? address : displayAddress(known, address);
  return shown.length > 14 ? `${shown.slice(0, 8)}…${shown.slice(-4)}` : shown;
}

function shorten(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return fraction === '' ? whole : `${whole}.${fraction.slice(0, 4)}`;
}

/** With thousands separators and without cents, for display only. */
function money(usd: string): string {
  const [whole = '0'] = usd.split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',');
}
