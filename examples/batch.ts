import { createRetryFetch, presets, createGate } from 'retry-transport';

// What your provider allows. From the first call on, calls wait for their turn, so hardly any is refused.
const fetch = createRetryFetch({ ...presets.fleet, gate: createGate({ limits: { requestsPerSecond: 5 } }) });

async function ask(question: string): Promise<string> {
  const response = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer your-key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: question }] }),
  });
  if (!response.ok) throw new Error(`${question}: HTTP ${response.status} ${await response.text()}`);
  const { choices } = await response.json();
  return choices[0].message.content;
}

const questions = Array.from({ length: 500 }, (_, index) => `Describe day ${index + 1} of a long journey.`);
const answers = new Map<string, string>();

// All at once: each call waits for its turn.
const results = await Promise.allSettled(
  questions.map(async (question) => {
    answers.set(question, await ask(question));
    if (answers.size % 100 === 0) console.log(`${answers.size} of ${questions.length}`);
  }),
);

for (const result of results) if (result.status === 'rejected') console.error(result.reason);
console.log(`${answers.size} answered, ${questions.length - answers.size} to ask again`);
