/** Which route a call gets. A chain brings the code of its route with it, so that a program without one loads none. */

import type { Gate } from '../gate/gate.ts';
import { openOwnRoute } from './own-route.ts';
import type { FallbackChain, OpenRoute } from './route.ts';

const BROUGHT: unique symbol = /* @__PURE__ */ Symbol('route');

/** What `createFallback` and `createKeyRotation` bring. */
type Opening = (chain: FallbackChain) => OpenRoute;

/** A chain with its route, which a copy of the chain has too. */
export function withRoute<C extends FallbackChain>(chain: C, opening: Opening): C {
  return Object.freeze({ ...chain, [BROUGHT]: opening });
}

/** Whether it is a chain of `createFallback` or `createKeyRotation`, or a copy of one. */
export function hasRoute(chain: unknown): chain is FallbackChain & { readonly [BROUGHT]: Opening } {
  return typeof chain === 'object' && chain !== null && BROUGHT in chain;
}

/** undefined without a gate and without a chain. */
export function routeOf(gate: Gate | undefined, chain: FallbackChain | undefined): OpenRoute | undefined {
  if (hasRoute(chain)) return chain[BROUGHT](chain);
  return gate && openOwnRoute;
}
