/**
 * Runs in workerd: a Worker that answers a POST with the results, and a GET with the stream of another server, held to
 * its end.
 */

import { createRetryFetch } from 'retry-transport';
import { runScenario, type Surroundings, toTheEnd } from './scenario.ts';

export default {
  async fetch(request: Request): Promise<Response> {
    const of = new URL(request.url).searchParams.get('of');
    if (of !== null) return createRetryFetch({ ...toTheEnd, baseDelayMs: 1 })(of, { method: 'POST', body: '{}' });
    const surroundings: Surroundings = await request.json();
    return Response.json(await runScenario(surroundings));
  },
};
