import { expectSelection } from './selection.ts';

expectSelection('kafka', ['broker-killed', 'kill-scoring+redis-flushed', 'postgres-killed+garbage-in-topics', 'clock-ahead+upstream-late']);
