/** The options of a function, which has no request that a chain could change. */

import { type Policy, resolveConfig } from '../options/policy.ts';
import type { FaceName } from '../options/rows.ts';
import { chainOf } from '../route/open-route.ts';

/** Checks and completes the options of a function. @throws TypeError if one is invalid */
export function resolveFunction(face: FaceName, config: object): Policy {
  const policy = resolveConfig(face, config);
  const { operation, fallback } = policy.config;
  if (typeof operation === 'function')
    throw new TypeError(
      `\`operation\` as a function gets the request of a fetch, and ${face} has none. Write a label such as 'tool_call'.`,
    );
  const [changed] = fallback === undefined ? [] : chainOf(fallback).uses;
  if (changed !== undefined)
    throw new TypeError(
      `\`${changed}\` of \`fallback\` changes a request of createRetryFetch or RetryTransport, and ${face} has none. Give its targets only names, and read \`target\` in the operation.`,
    );
  return policy;
}
