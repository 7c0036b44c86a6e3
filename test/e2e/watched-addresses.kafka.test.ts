import { prepareKafka } from './kafka-tier.ts';
import { expectWatchedAddresses } from './watched-addresses.ts';

expectWatchedAddresses({ prepare: prepareKafka });
