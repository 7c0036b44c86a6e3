import { html } from 'hono/html';
import { failureCodes } from '../failure.ts';
import { sandboxTargets } from '../sandbox/targets.ts';
import type { Operation } from './operation.ts';

/** The operations and the sandbox's targets, readable in a browser. */
export function docsPage(operations: readonly Operation[]) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weir risk API</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #ccc; vertical-align: top; }
code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Weir risk API</h1>
<p>Every call takes <code>api_key</code>: in the query of a GET, in the JSON body of a POST, or in the header <code>X-API-Key</code>.
Answers are <code>{"success", "msg", "data"}</code>. A failure has <code>success</code> false and one of these codes in <code>msg</code>:
${failureCodes.join(', ')}.</p>
<h2>Operations</h2>
<table>
<tr><th>Call</th><th>Surface</th><th>What it does</th></tr>
${operations.map((operation) => html`<tr><td><code>${operation.method} ${operation.path}</code></td><td>${operation.surface}</td><td>${operation.summary}</td></tr>`)}
<tr><td><code>GET /sandbox/targets</code></td><td>sandbox</td><td>The targets below as JSON. No key.</td></tr>
</table>
<h2>Sandbox targets</h2>
<p>Their results are fixed, made for integration tests. Any other target is <code>InvalidParameter</code>.</p>
<table>
<tr><th>Coin</th><th>Target</th><th>Level</th><th>Score</th><th>Details</th><th>What it is</th></tr>
${sandboxTargets.map(
  (
    target,
  ) => html`<tr><td>${target.coin}</td><td>${target.address === undefined ? 'txid' : 'address'} <code>${target.address ?? target.txid ?? ''}</code></td>
<td>${target.risk_level}</td><td>${target.score}</td><td>${target.detail_list.join(', ')}</td><td>${target.why}</td></tr>`,
)}
</table>
</body>
</html>`;
}
