import { expectConsole } from './console-flows.ts';
import { embedded } from './tiers.ts';

expectConsole(embedded);
