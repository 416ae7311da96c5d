/** Time limits of a connection, the same for HTTP/1.1 and HTTP/2. */

export const MAX_HEADER_BYTES = 16_384;
/** How long a connection may take to send the headers of its first request. */
export const HEADERS_MS = 30_000;
/** How long an idle connection stays open. Clients close theirs sooner, so none is closed just as it is used. */
export const IDLE_MS = 75_000;
