/** The events of all tests, a secret, and reports. Knows no test runner: child processes use it too. */

import { createErrorReport, type ErrorReport, type FailedEvent, type StepContext } from '../../src/report/index.ts';
import { failedEvent } from '../sample-events.ts';

export * from '../sample-events.ts';

/** Has the shape of a key, so nothing that we write may hold it. */
export const SECRET = 'sk-test-abcdefghijklmnopqrstuvwxyz0123456789';

export function report(
  requestId: string = 'request-1',
  extra: Partial<FailedEvent> = {},
  context: StepContext = {},
): ErrorReport {
  return createErrorReport(failedEvent({ callId: requestId, ...extra }), context);
}
