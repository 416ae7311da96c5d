import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChatPage, type ChatSite, serveChat } from '../chat-page.ts';

const MESSAGES = 'https://api.anthropic.com/v1/messages';

let site: ChatSite;
let chat: ChatPage;

beforeAll(async () => {
  site = await serveChat();
});
afterAll(() => site.close());
beforeEach(async () => {
  // Nothing to wait for where nothing glides.
  chat = await site.open({ reducedMotion: 'reduce' });
});
afterEach(async () => {
  expect(chat.errors).toEqual([]);
  await chat.close();
});

describe('an overload', () => {
  test('is shown with its reason and a countdown, and with "Retry now" the answer comes after three requests', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    expect(await chat.bubble.locator('p').textContent()).toMatch(
      /^Service overloaded \(HTTP 529\): retry 1 of 3 in \ds$/,
    );
    await chat.retryNow.click();
    await chat.untilRetry(2);
    expect(await chat.bubble.locator('p').textContent()).toMatch(
      /^Service overloaded \(HTTP 502\): retry 2 of 3 in \d+s$/,
    );
    await chat.freeze();
    await chat.retryNow.click();
    await chat.untilAnswering();
    expect(await chat.bubble.count()).toBe(0);
    const begun = await chat.answer.textContent();
    await chat.untilEnded();
    const whole = await chat.answer.textContent();
    expect(whole).toMatch(/^Because its light takes the long way\..*is the red\.$/);
    // Piece by piece, and not at its end.
    expect(begun?.length).toBeLessThan(whole?.length ?? 0);
    expect(chat.requests).toEqual([MESSAGES, MESSAGES, MESSAGES]);
  });

  test('leaves a consistent timeline, with a wait that was cut short and a whole one', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    await chat.retryNow.click();
    await chat.untilRetry(2);
    await chat.page.clock.fastForward(10_000);
    await chat.untilEnded();
    expect(await chat.attempts.locator('summary').textContent()).toMatch(/^3 attempts in 1\d(\.\d)?s$/);
    const rows = await chat.attempts.getByRole('listitem').allTextContents();
    expect(rows[0]).toMatch(/^Service overloaded \(HTTP 529\).*, then waited .+ of 5s$/);
    expect(rows[1]).toMatch(/^Service overloaded \(HTTP 502\).*, then waited 10(\.\d)?s$/);
    expect(rows[2]).toMatch(/^Answered/);
    expect(rows).toHaveLength(3);
    const inSeconds = (text = ''): number => Number.parseFloat(text) / (text.endsWith('ms') ? 1_000 : 1);
    const took = rows.map(
      (row) =>
        row
          .replace(/ of 5s$/, '')
          .match(/\d+(?:\.\d+)?m?s/g)
          ?.map(inSeconds) ?? [],
    );
    const total = inSeconds((await chat.attempts.locator('summary').textContent())?.split(' in ')[1]);
    // Each of the five times is rounded to a tenth of a second.
    expect(Math.abs(took.flat().reduce((sum, seconds) => sum + seconds, 0) - total)).toBeLessThan(0.5);
  });

  test('is counted down by the second and then retried automatically, and a screen reader reads each state once', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    await chat.freeze();
    const before = await chat.announced();
    const shown: number[] = [];
    const secondsShown = async (): Promise<number> => Number.parseInt(await chat.bubble.getByRole('timer').innerText());
    // Four or five, by how quick this machine is.
    for (let left = await secondsShown(); left > 1; left = await secondsShown()) {
      shown.push(left);
      await chat.page.clock.runFor(1_000);
    }
    expect(shown).toEqual([5, 4, 3, 2].slice(-shown.length));
    expect(shown.length).toBeGreaterThanOrEqual(2);
    expect(chat.requests).toHaveLength(1);
    expect(await chat.announced()).toEqual(before);
    await chat.page.clock.runFor(1_000);
    await chat.page.clock.resume();
    await chat.untilRetry(2);
    expect(await chat.announced()).toEqual([
      'Asking.',
      'Service overloaded (HTTP 529): retry 1 of 3 in 5 seconds. Escape stops.',
      'Retrying now.',
      'Service overloaded (HTTP 502): retry 2 of 3 in 10 seconds.',
    ]);
  });

  test('is read by a screen reader from the question to the answer', async () => {
    await chat.ask('Overload');
    for (const attempt of [1, 2]) {
      await chat.untilRetry(attempt);
      await chat.retryNow.click();
    }
    await chat.untilEnded();
    const said = await chat.announced();
    expect(said.map((sentence) => sentence.replace(/(?<=^\w+: .{13}).*/, '…'))).toEqual([
      'Asking.',
      'Service overloaded (HTTP 529): retry 1 of 3 in 5 seconds. Escape stops.',
      'Retrying now.',
      'Service overloaded (HTTP 502): retry 2 of 3 in 10 seconds.',
      'Retrying now.',
      'The answer is arriving.',
      'Answer: Because its l…',
    ]);
    // A region that is hidden says nothing, and one that interrupts is another role.
    expect(await chat.announcer.textContent()).toBe(said.at(-1));
    expect(await chat.announcer.getAttribute('aria-live')).toBeNull();
  });
});

describe('a person', () => {
  test('stops a wait with its button: nothing is retried, and the wait is in the history', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    expect(await chat.page.getByRole('button', { name: /^(?:Stop|Cancel)$/ }).count()).toBe(1);
    await chat.freeze();
    await chat.page.clock.runFor(2_000);
    await chat.send.click();
    await chat.notice.waitFor();
    expect(await chat.notice.locator('h2').textContent()).toBe('Stopped');
    expect(await chat.notice.locator('p').textContent()).toBe('You stopped it after 1 attempt.');
    expect((await chat.announced()).at(-1)).toBe('Stopped after 1 attempt.');
    const [row] = await chat.attempts.getByRole('listitem').allTextContents();
    expect(row).toMatch(/then waited [23](?:\.\d)?s of 5s$/);
    await chat.page.clock.fastForward(60_000);
    expect(chat.requests).toEqual([MESSAGES]);
  });

  test('stops an attempt after a wait, and sees it in the history too', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    await chat.freeze();
    await chat.retryNow.click();
    await chat.page.clock.runFor(100);
    await chat.send.click();
    await chat.notice.waitFor();
    const rows = await chat.attempts.getByRole('listitem').allTextContents();
    expect(rows[0]).toMatch(/then waited .+ of 5s$/);
    expect(rows[1]).toMatch(/^Stopped before the answer1\d\dms$/);
    expect(await chat.attempts.locator('summary').textContent()).toMatch(/^2 attempts in /);
  });

  test('stops an answer, whose text so far is kept', async () => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    await chat.retryNow.click();
    await chat.untilRetry(2);
    await chat.freeze();
    await chat.retryNow.click();
    await chat.untilAnswering();
    await chat.send.click();
    await chat.untilEnded();
    expect(await chat.notice.locator('h2').textContent()).toBe('Stopped');
    expect(await chat.answer.textContent()).toMatch(/^Because/);
    expect(await chat.answer.textContent()).not.toMatch(/is the red\.$/);
  });

  test('stops before there is a wait', async () => {
    await chat.ask('Overload');
    await chat.page.keyboard.press('Escape');
    await chat.notice.waitFor();
    expect(await chat.notice.locator('h2').textContent()).toBe('Stopped');
    expect((await chat.announced()).at(-1)).toMatch(/^Stopped/);
  });

  test('sends the request again from the card, which then has no such button', async () => {
    await chat.ask('Broken answer');
    await chat.untilEnded();
    await chat.notice.getByRole('button', { name: 'Ask again' }).click();
    await chat.page.locator('.notice').nth(1).waitFor();
    await chat.untilEnded();
    expect(chat.requests).toHaveLength(2);
    expect(await chat.page.getByRole('button', { name: 'Ask again' }).count()).toBe(1);
  });
});

describe('a failure', () => {
  test('that no wait can fix is shown at once, with what to do and where, and without a retry button', async () => {
    await chat.ask('Quota');
    await chat.notice.waitFor();
    expect(chat.requests).toHaveLength(1);
    expect(await chat.bubble.count()).toBe(0);
    expect(await chat.notice.locator('h2').textContent()).toBe('Quota used up (HTTP 429)');
    const actions = chat.notice.getByRole('listitem');
    expect(await actions.first().textContent()).toMatch(/^Add credits, raise the limit/);
    expect(await actions.getByRole('link').getAttribute('href')).toBe('https://aistudio.google.com/usage');
    expect((await chat.announced()).at(-1)).toMatch(/^Quota used up \(HTTP 429\)\. A retry cannot help\. Add credits/);
    expect(await chat.page.getByRole('button', { name: 'Ask again' }).count()).toBe(0);
  });

  test('inside a stream, before its first text, is retried invisibly', async () => {
    await chat.ask('Dead stream');
    await chat.untilRetry(1);
    expect(await chat.bubble.textContent()).toMatch(/^Stream interrupted \(inside the answer\): retry 1 of 3 in \ds/);
    expect(await chat.answer.count()).toBe(0);
    await chat.retryNow.click();
    await chat.untilRetry(2);
    expect(await chat.bubble.textContent()).toMatch(/^Service overloaded \(inside the answer\)/);
    await chat.retryNow.click();
    await chat.untilEnded();
    expect(await chat.answer.textContent()).toMatch(/^Because its light takes the long way\..*is the red\.$/);
    expect(chat.requests).toHaveLength(3);
  });

  test('inside a stream, after its first text, is shown, and nothing is retried', async () => {
    await chat.ask('Broken answer');
    await chat.untilEnded();
    expect(await chat.notice.locator('h2').textContent()).toBe('The answer broke off');
    expect(await chat.answer.textContent()).toMatch(/^Because its light/);
    expect((await chat.announced()).at(-1)).toMatch(/^The answer broke off\. What arrived is kept\./);
    expect(chat.requests).toHaveLength(1);
  });

  test('that remains is given up after the last retry, and the card says so', async () => {
    await chat.ask('Outage');
    for (const attempt of [1, 2, 3]) {
      await chat.untilRetry(attempt);
      await chat.retryNow.click();
    }
    await chat.notice.waitFor();
    expect(chat.requests).toHaveLength(4);
    expect(await chat.notice.textContent()).toMatch(
      /^Service overloaded \(HTTP 529\).*No retries are left\. 4 attempts were made\./,
    );
    expect(await chat.attempts.getByRole('listitem').count()).toBe(4);
  });
});
