/** Runs in Deno: `deno run deno.js <origin> <refused URL>`. */

import { runScenario } from './scenario.ts';

declare const Deno: { readonly args: readonly string[]; readonly version: { readonly deno: string } };

const [origin = '', refusedUrl = ''] = Deno.args;
console.log(JSON.stringify({ version: Deno.version.deno, checks: await runScenario({ origin, refusedUrl }) }));
