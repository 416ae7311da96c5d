import { createRetryFetch } from 'retry-transport';
import { createUndiciFetch } from 'retry-transport/undici';

// At most 20 connections per origin, a second for connecting, a minute for the response headers.
const pooled = createUndiciFetch({ connections: 20, connectTimeoutMs: 1_000, headersTimeoutMs: 60_000 });
export const fetch = createRetryFetch({ fetch: pooled });

/** Before the program ends: waits for requests in progress, then closes the connections. */
export const close = (): Promise<void> => pooled.close();
