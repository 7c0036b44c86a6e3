/** These load the code of every service. */
export { type Erasing } from './erase.ts';
export { migrateServices as migrateForPrivacy } from '../migrate.ts';
export { reapplyErasures } from './reapply.ts';
export { approveErasure, listErasures, proposeErasure } from './requests.ts';
export { eraseExpired } from './retention.ts';
