/**
 * Builds at import what `hints`, `classify` and `gate` build when it is first needed. Else whichever test happens to come first
 * would be the only one that reaches the building, and the only one that is asked about its mutants.
 */

import type { Evidence } from '../../src/classify/envelope.ts';
import { providerOf } from '../../src/classify/provider.ts';
import { judge } from '../../src/classify/rules.ts';
import { typeOfStatus } from '../../src/classify/status.ts';
import { sha256 } from '../../src/gate/sha256.ts';
import { resetHint } from '../../src/hints/reset-headers.ts';

const evidence: Evidence = {
  status: 418,
  isInBand: false,
  names: '|@418',
  code: undefined,
  message: '',
  text: '',
  quotas: '',
  retryable: undefined,
  isPage: false,
  isGoogle: false,
  provider: undefined,
  values: '',
};
const builds = [
  () => judge(evidence, 0),
  () => providerOf(evidence, () => ''),
  () => typeOfStatus(418),
  () => sha256(''),
  () => resetHint(() => '', 0),
];
for (const build of builds) {
  try {
    build();
  } catch {
    // A mutant that throws here is left to the tests.
  }
}
