import type { Page } from '@weir/service-kit';
import { html } from 'hono/html';
import { adviceOf, failureCodes, statusOf } from '../../failure.ts';
import { type ListedTarget, ofLimits } from '../description/openapi.ts';
import type { Description } from '../operation.ts';

/** The documentation of these calls. */
export function riskPage(pages: readonly Description[], predefined: readonly ListedTarget[]): Page {
  const hasSandbox = pages.some(({ surface }) => surface === 'sandbox');
  return {
    title: 'Weir risk API',
    intro: html`<p>Calls below <code>/x402/</code> are paid for, each by itself; the others take a key: in the header <code>X-API-Key</code>, or as <code>api_key</code> in the query of a GET and in the JSON body of a POST.
Answers are <code>{"success", "msg", "data"}</code>. A failure has <code>success</code> false and a code in <code>msg</code>. ${ofLimits}</p>`,
    plain: html`<table>
<tr><th>Call</th><th>Parameters</th><th>What it does</th></tr>
${pages.map(
  (page) => html`<tr><td><code>${page.method} ${page.path}</code></td><td>${Object.keys(page.request.shape).join(', ')}</td>
<td>${page.summary} ${page.description ?? ''}</td></tr>`,
)}
</table>`,
    tables: [...(hasSandbox ? [targets(predefined)] : []), failures()],
  };
}

function failures() {
  return html`<h2>Failures</h2>
<table>
<tr><th>Code</th><th>Status</th><th>What to do</th></tr>
${failureCodes.map((code) => html`<tr><td><code>${code}</code></td><td>${statusOf(code)}</td><td>${adviceOf(code)}</td></tr>`)}
</table>`;
}

function targets(predefined: readonly ListedTarget[]) {
  return html`<h2>Sandbox targets</h2>
<p>Their results are fixed, made for integration tests. Any other target is <code>InvalidParameter</code>.</p>
<table>
<tr><th>Coin</th><th>Target</th><th>Level</th><th>Score</th><th>Details</th><th>What it is</th></tr>
${predefined.map(
  (
    target,
  ) => html`<tr><td>${target.coin}</td><td>${target.address === undefined ? 'txid' : 'address'} <code>${target.address ?? target.txid ?? ''}</code></td>
<td>${target.risk_level}</td><td>${target.score}</td><td>${target.detail_list.join(', ')}</td><td>${target.why}</td></tr>`,
)}
</table>`;
}
