export { Assignment } from './assignment.ts';
export { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
