// Node >= 22.12 can require an ES module.
const { createRetryFetch, outcomeOf } = require('retry-transport');
for (const entry of ['retry-after', 'mocks', 'llm', 'report', 'otel', 'diagnostics', 'redis', 'undici', 'events']) {
  if (Object.keys(require(`retry-transport/${entry}`)).length === 0) throw new Error(`${entry} exports nothing.`);
}

const answers = [new Response('{}', { status: 503 }), new Response('{}')];
createRetryFetch({ fetch: async () => answers.shift() ?? Response.error(), baseDelayMs: 1 })(
  'https://example.test/',
).then((response) => {
  if (response.status !== 200 || outcomeOf(response)?.history.length !== 2) throw new Error(`got ${response.status}`);
  console.log('answered: require');
});
