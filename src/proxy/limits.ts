/** What a connection may cost, in HTTP/1.1 and in HTTP/2 alike. */

export const MAX_HEADER_BYTES = 16_384;
/** How long a connection may take to send the headers of its first request. */
export const HEADERS_MS = 30_000;
/** How long an unused connection stays open: longer than clients keep one, so that none is closed as they begin to use it. */
export const IDLE_MS = 75_000;
