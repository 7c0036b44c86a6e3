import type { Scenario } from './scenario.ts';
import * as access from './scenarios/access.ts';
import * as audit from './scenarios/audit.ts';
import * as chainData from './scenarios/chain-data.ts';
import * as outbox from './scenarios/outbox.ts';
import * as payments from './scenarios/payments.ts';
import * as providers from './scenarios/providers.ts';
import * as records from './scenarios/records.ts';
import * as replicas from './scenarios/replicas.ts';
import * as withdrawals from './scenarios/withdrawals.ts';

const emptyChainData = [chainData.emptyChainData, records.noRecord, records.forgedKey, access.guessedTokens];
const lockedGate = [withdrawals.lockedGate, chainData.unpermittedPayment, access.wrongPolicy];

/** `npm test` has these, which take a minute; `npm run drill` takes ten. */
export const shortGroups: readonly (readonly Scenario[])[] = [emptyChainData, lockedGate];

/** Groups in this order, for the budget is used up at the end. The scenarios of a group do not disturb each other and run at the same time. */
export const groups: readonly (readonly Scenario[])[] = [
  emptyChainData,
  [providers.awayUpstream, chainData.failingList, chainData.oldPrices, chainData.missingChain, audit.unwritableCheckpoint],
  [providers.revokedKey, chainData.oldTransfers, records.forgedResolution, records.forgedEvent, access.failingReceiver],
  [replicas.differentPolicies, replicas.oldCertificate, payments.lostSettlement, outbox.smallTopic],
  [providers.lockedDecisions],
  [
    records.refusedJob,
    records.refusedScores,
    access.awaySignIn,
    access.pickyReceiver,
    withdrawals.overtakenPermit,
    chainData.awayNode,
    audit.forgedCheckpoint,
  ],
  lockedGate,
  [chainData.forkedChain, audit.lockedAuditLog],
  [audit.deletedRecords],
  [chainData.endedProcess],
  [providers.fallback],
  [providers.spentDay],
];

/** They run beside all groups, for their alerts look at hours or days. */
export const slow: readonly Scenario[] = [
  providers.stricterShadow,
  withdrawals.forgottenReview,
  withdrawals.endlessRescreen,
  audit.fullAnchor,
  audit.awayArchive,
];
