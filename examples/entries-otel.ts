import { createGate } from 'retry-transport';
import { instrument } from 'retry-transport/otel';

// In place of createRetryFetch. Register your SDK as usual; without one, this costs next to nothing.
export const fetch = instrument(undefined, { gate: createGate() });
