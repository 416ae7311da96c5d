/** Runs in Bun: `bun bun.js <origin> <refused URL>`. */

import { runScenario } from './scenario.ts';

declare const Bun: { readonly argv: readonly string[]; readonly version: string };

const [origin = '', refusedUrl = ''] = Bun.argv.slice(2);
console.log(JSON.stringify({ version: Bun.version, checks: await runScenario({ origin, refusedUrl }) }));
