import { expect, test } from 'vitest';
import { serveChat } from '../chat-page.ts';

test('the page from its sources behaves like the built one', async () => {
  const site = await serveChat('sources');
  try {
    const chat = await site.open();
    await chat.ask('Quota');
    await chat.notice.waitFor();
    expect(await chat.notice.locator('h2').textContent()).toBe('Quota used up (HTTP 429)');
    expect(chat.requests).toHaveLength(1);
    expect(chat.errors).toEqual([]);
  } finally {
    await site.close();
  }
});
