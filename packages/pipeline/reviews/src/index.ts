export { isSamePerson, isSurelySamePerson, type Person } from './person.ts';
export { eventOf, findResolutions, type StoredResolution } from './resolution.ts';
export { needsApproval, type ReviewState, whyNotResolvable } from './rules.ts';
export { type EarlierDecision, namesSanctioned, reviewStateOf } from './state.ts';
export { reviewSchema, type ReviewSettings } from './settings.ts';
export { whyNotApplicable, whyNotStored } from './verify.ts';
