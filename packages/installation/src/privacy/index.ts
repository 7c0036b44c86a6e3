/** These load the code of every service. */
export { type Erasing } from './erase.ts';
export { migrateServices as migrateForPrivacy } from '../migrate.ts';
export { approveErasure, listErasures, proposeErasure } from './requests.ts';
export { eraseExpired, keepErasing } from './retention.ts';
export { finishErasures, reopenErasures } from './unfinished.ts';
