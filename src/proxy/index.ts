/** The loopback proxy: retries for programs that can change their base URL and nothing else. */

export { isLoopback } from './admit.ts';
export type { ProxyOptions } from './options.ts';
export { type Proxy, startProxy } from './proxy.ts';
