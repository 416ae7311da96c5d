import { createGate } from 'retry-transport';
import { instrument } from 'retry-transport/otel';

// In place of createRetryFetch. Register OpenTelemetry's SDK as usual.
export const fetch = instrument({ gate: createGate() });
