/** What a limit counts. */

export type Unit = 'requests' | 'tokens';

/** A request that was sent: all requests and estimated tokens up to it. */
export type Send = Readonly<Record<Unit, number>>;
