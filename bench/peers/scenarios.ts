/** The scenarios by name, in the order of the page. */

import type { Scenario } from './scenario.ts';
import { scenario as behaviours } from './scenarios/behaviours.ts';
import { scenario as importing } from './scenarios/import.ts';
import { scenario as retry } from './scenarios/retry.ts';
import { scenario as size } from './scenarios/size.ts';
import { scenario as sleepers } from './scenarios/sleepers.ts';
import { scenario as sockets } from './scenarios/sockets.ts';
import { scenario as streams } from './scenarios/streams.ts';
import { scenario as success } from './scenarios/success.ts';

export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  Object.entries({ success, retry, sleepers, sockets, streams, size, import: importing, behaviours }),
);
