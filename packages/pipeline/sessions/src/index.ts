export { cookieFor, cookieName, isLocal, isOwnRequest, SessionCallers } from './session-callers.ts';
export {
  type Holder,
  type LiveSession,
  type NewSession,
  Sessions,
  type SessionLimits,
  type SessionTimes,
  type TimeLimit,
} from './sessions.ts';
export { type SessionSettings, sessionSchema } from './settings.ts';
export { withSessions } from './with-sessions.ts';
