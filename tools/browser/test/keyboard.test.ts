import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatSite, serveChat } from '../chat-page.ts';

let site: ChatSite;

beforeAll(async () => {
  site = await serveChat();
});
afterAll(() => site.close());

describe('a person without a mouse', () => {
  test('gets from the question to the answer, sees where they are, and never loses the place', async () => {
    const chat = await site.open({ reducedMotion: 'reduce' });
    const { keyboard } = chat.page;
    const outline = (): Promise<string> =>
      chat.page.evaluate(() => {
        const { activeElement } = document;
        // The input of a choice is not seen; its label is.
        const shown = activeElement?.matches('[type=radio]') ? activeElement.nextElementSibling : activeElement;
        return shown === null || shown === undefined ? '' : getComputedStyle(shown).outline;
      });
    const focused = async (): Promise<string> => {
      expect(await outline()).toMatch(/ solid 2px$/);
      return chat.focused();
    };

    await keyboard.press('Tab');
    expect(await focused()).toBe('scenario');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowLeft');
    await keyboard.press('Tab');
    expect(await focused()).toBe('question');
    await keyboard.press('Enter');
    await chat.untilRetry(1);
    expect(await focused()).toBe('question');
    await keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Retry now');
    await keyboard.press('Enter');
    // The bubble stays, and so does the focus.
    await chat.untilRetry(2);
    expect(await focused()).toBe('Retry now');
    await chat.freeze();
    await keyboard.press('Space');
    await chat.untilAnswering();
    expect(await focused()).toBe('Stop');
    await chat.untilEnded();
    expect(await focused()).toBe('Send');
    expect(chat.requests).toHaveLength(3);
    await chat.close();
  });

  test('stops with Escape from anywhere, and lands on the card only if the focus was in the bubble', async () => {
    const chat = await site.open({ reducedMotion: 'reduce' });
    const { keyboard } = chat.page;
    await chat.question.press('Enter');
    await chat.untilRetry(1);
    await keyboard.press('Escape');
    await chat.untilEnded();
    expect(await chat.focused()).toBe('question');
    await keyboard.press('Enter');
    await chat.untilRetry(1);
    await keyboard.press('Shift+Tab');
    await keyboard.press('Escape');
    await chat.untilEnded();
    expect(await chat.focused()).toBe('Stopped');
    await keyboard.press('Tab');
    expect(await chat.focused()).toBe('Ask again');
    await keyboard.press('Enter');
    await chat.untilRetry(1);
    expect(await chat.focused()).toBe('Stop');
    expect(chat.requests).toHaveLength(3);
    await chat.close();
  });

  test('has one stop per control, in the order in which they are seen', async () => {
    const chat = await site.open({ reducedMotion: 'reduce' });
    await chat.ask('Quota');
    await chat.untilEnded();
    await chat.page.getByRole('radio', { name: 'Quota' }).focus();
    const order: string[] = [];
    for (let stop = 0; stop < 3; stop += 1) {
      await chat.page.keyboard.press('Tab');
      order.push(await chat.focused());
    }
    expect(order).toEqual(['aistudio.google.com/usage', 'question', 'Send']);
    await chat.close();
  });
});
