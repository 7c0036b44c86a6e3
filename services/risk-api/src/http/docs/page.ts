import type { Page } from '@weir/service-kit';
import { html } from 'hono/html';
import { adviceOf, statusOf } from '../../failure.ts';
import { codesOf } from '../description/failures.ts';
import { describes, introOf, type ListedTarget, type Page as DescribedPage } from '../description/openapi.ts';

/** The documentation of these calls. */
export function riskPage(pages: readonly DescribedPage[], predefined: readonly ListedTarget[]): Page {
  return {
    title: 'Weir risk API',
    intro: html`${introOf(pages).map(paragraph)}`,
    plain: html`<table>
<tr><th>Call</th><th>Parameters</th><th>What it does</th></tr>
${pages.map(
  (page) => html`<tr><td><code>${page.method} ${page.path}</code></td><td>${Object.keys(page.request.shape).join(', ')}</td>
<td>${page.summary} ${page.description ?? ''}</td></tr>`,
)}
</table>`,
    tables: [...(describes(pages, 'sandbox') ? [targets(predefined)] : []), failures(pages)],
  };
}

/** Code stands between backticks. */
function paragraph(text: string) {
  return html`<p>${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}</p>`;
}

function failures(pages: readonly DescribedPage[]) {
  return html`<h2>Failures</h2>
<table>
<tr><th>Code</th><th>Status</th><th>What to do</th></tr>
${codesOf(pages).map((code) => html`<tr><td><code>${code}</code></td><td>${statusOf(code)}</td><td>${adviceOf(code)}</td></tr>`)}
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
