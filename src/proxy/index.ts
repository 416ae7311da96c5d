export { isLoopback } from './admit.ts';
export type { ProxyOptions } from './options.ts';
export { type Proxy, startProxy } from './proxy.ts';
