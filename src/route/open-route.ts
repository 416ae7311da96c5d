/**
 * Which route a call gets. A chain and a gate bring the code of their route with them, so that a program without them
 * loads none.
 */

import type { Gate } from '../gate/gate.ts';
import { type OpenSession, SESSION } from '../gate/open-gate.ts';
import { get } from '../runtime/values.ts';
import { openOwnRoute } from './own-route.ts';
import type { Chain, FallbackChain, OpenRoute } from './route.ts';

const BROUGHT: unique symbol = /* @__PURE__ */ Symbol('route');
const ROUTE: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: the route of a gate');

/** What `createFallback` and `createKeyRotation` bring. */
interface Brought {
  readonly chain: Chain;
  readonly open: OpenRoute;
}

/** A gate with its sessions and its route, which are hidden from users. */
export function withSessions<G extends object>(gate: G, open: OpenSession): G & Gate {
  return Object.freeze(
    Object.defineProperties(gate, { [SESSION]: { value: open }, [ROUTE]: { value: openOwnRoute } }),
  ) as G & Gate;
}

/** A chain with its route. */
export function withRoute(chain: Chain, open: OpenRoute): FallbackChain {
  const brought: Brought = { chain, open };
  return Object.freeze(Object.defineProperty({}, BROUGHT, { value: brought })) as FallbackChain;
}

/** Whether it is a chain of `createFallback` or `createKeyRotation`. */
export function hasRoute(chain: unknown): chain is FallbackChain {
  return get(chain, BROUGHT) !== undefined;
}

/** The chain from the inside. */
export function chainOf(chain: FallbackChain): Chain {
  return broughtBy(chain).chain;
}

/** undefined without a gate and without a chain. */
export function routeOf(gate: Gate | undefined, chain: FallbackChain | undefined): OpenRoute | undefined {
  return chain === undefined ? (get(gate, ROUTE) as OpenRoute | undefined) : broughtBy(chain).open;
}

const broughtBy = (chain: FallbackChain): Brought => (chain as unknown as { readonly [BROUGHT]: Brought })[BROUGHT];
