/** Runs in a page of the browser, served by the same server as the answers. */

import { runScenario } from './scenario.ts';

const refusedUrl = new URLSearchParams(location.search).get('refused') ?? '';
console.log(JSON.stringify(await runScenario({ origin: location.origin, refusedUrl })));
