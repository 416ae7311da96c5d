/** Runs in Node: `node node.js <origin> <refused URL>`. */

import { runScenario } from './scenario.ts';

const [origin = '', refusedUrl = ''] = process.argv.slice(2);
console.log(JSON.stringify({ version: process.versions.node, checks: await runScenario({ origin, refusedUrl }) }));
