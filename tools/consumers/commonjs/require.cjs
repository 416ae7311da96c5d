// Node >= 22.12 can require an ES module.
const { createRetryFetch, retryHistory } = require('retry-transport');
for (const entry of ['retry-after', 'mocks', 'llm', 'report', 'otel', 'diagnostics', 'redis', 'undici']) {
  if (Object.keys(require(`retry-transport/${entry}`)).length === 0) throw new Error(`${entry} exports nothing.`);
}

const answers = [new Response('{}', { status: 503 }), new Response('{}')];
createRetryFetch(async () => answers.shift() ?? Response.error(), { baseDelayMs: 1 })('https://example.test/').then(
  (response) => {
    if (response.status !== 200 || retryHistory(response).length !== 2) throw new Error(`got ${response.status}`);
    console.log('answered: require');
  },
);
