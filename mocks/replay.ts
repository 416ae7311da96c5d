/** `replay` for programs in Node, Deno and Bun, which load MSW when it is called. */

import { handlerOf, type ReplayHandler } from './handler.ts';
import type { Steps } from './steps.ts';

type Require = (name: 'msw') => { readonly http: Parameters<typeof handlerOf>[0] };

interface WithBuiltins {
  readonly process?: {
    cwd(): string;
    getBuiltinModule?(name: 'node:module'): { createRequire(path: string): Require } | undefined;
  };
}

/**
 * The same as `replay` of `retry-transport/mocks/msw`, which also works in a browser. This one loads MSW when it is
 * called, so that the other exports do not need it.
 *
 * @param url as MSW reads it (`*` and `/:name` match anything), except that the query is ignored, and a colon inside a
 *   segment (`gemini-2.5-flash:generateContent`) is an ordinary character
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a pace is invalid
 * @throws {Error} if MSW cannot be loaded: it is not installed, or this is a browser
 */
export function replay(url: string | RegExp, ...steps: Steps): ReplayHandler {
  return handlerOf(loadMsw().http, url, steps);
}

function loadMsw(): ReturnType<Require> {
  const { process } = globalThis as WithBuiltins;
  const builtin = process?.getBuiltinModule?.('node:module');
  if (process === undefined || builtin === undefined)
    throw new Error("Outside of Node, import `replay` from 'retry-transport/mocks/msw'.");
  try {
    // Not from `import.meta.url`, which Babel cannot translate for tests in CommonJS.
    return builtin.createRequire(`${process.cwd()}/`)('msw');
  } catch (cause) {
    throw new Error('`replay` needs MSW, which could not be loaded: npm i -D msw.', { cause });
  }
}
