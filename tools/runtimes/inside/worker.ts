/** Runs in workerd: a Worker that answers a POST with the results. */

import { runScenario, type Surroundings } from './scenario.ts';

export default {
  async fetch(request: Request): Promise<Response> {
    const surroundings: Surroundings = await request.json();
    return Response.json(await runScenario(surroundings));
  },
};
