import ky from 'ky';
import { createRetryFetch, presets } from 'retry-transport';

const api = ky.create({
  fetch: createRetryFetch({ ...presets.recommended, maxRetryAfterMs: 540_000 }),
  retry: 0,
  timeout: false,
  headers: { authorization: `Bearer ${process.env['OPENAI_API_KEY']}` },
});

const completion = await api
  .post('https://api.openai.com/v1/chat/completions', {
    json: { model: 'gpt-5', messages: [{ role: 'user', content: 'Say hello.' }] },
  })
  .json<{ choices: { message: { content: string } }[] }>();
process.stdout.write(completion.choices[0]?.message.content ?? '');
