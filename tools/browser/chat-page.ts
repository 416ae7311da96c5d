/** The chat page in a browser, and the actions of a person on it. */

import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serveBuild, serveSources } from './serve.ts';

export type ScenarioLabel = 'Overload' | 'Quota' | 'Dead stream' | 'Broken answer' | 'Outage';

export interface ChatSite {
  open(options?: BrowserContextOptions): Promise<ChatPage>;
  close(): Promise<void>;
}

const config = { configFile: new URL('../../examples/chat-web/vite.config.ts', import.meta.url).pathname };

/** `sources`: served as by `npm run demo:web`. */
export async function serveChat(from: 'build' | 'sources' = 'build'): Promise<ChatSite> {
  const { url, close } = await (from === 'build' ? serveBuild(config) : serveSources(config));
  const browser = await launchChromium();
  return {
    open: async (options) => {
      const context = await browser.newContext({ viewport: { width: 720, height: 760 }, ...options });
      const chat = new ChatPage(await context.newPage(), url);
      await chat.load();
      return chat;
    },
    close: async () => {
      await browser.close();
      await close();
    },
  };
}

export class ChatPage {
  readonly page: Page;
  /** The requests to other servers than that of the page, in order. */
  readonly requests: string[] = [];
  /** The errors in the page itself. */
  readonly errors: string[] = [];
  readonly send: Locator;
  readonly question: Locator;
  readonly bubble: Locator;
  readonly retryNow: Locator;
  readonly notice: Locator;
  readonly answer: Locator;
  readonly attempts: Locator;
  readonly announcer: Locator;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    this.send = page.locator('#send');
    this.question = page.getByRole('textbox', { name: 'Message' });
    this.bubble = page.getByRole('region', { name: 'Waiting to retry' });
    this.retryNow = this.bubble.getByRole('button', { name: 'Retry now' });
    this.notice = page.locator('.notice').last();
    this.answer = page.locator('.answer').last();
    this.attempts = page.locator('.timeline').last();
    this.announcer = page.getByRole('status');
    page.on('pageerror', (error) => void this.errors.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) this.requests.push(request.url());
    });
  }

  async load(): Promise<void> {
    await this.page.clock.install();
    await this.page.goto(this.#url);
    const ready = this.page.locator('#send:enabled');
    // On a busy machine the first start of the service worker may never end; a page that is loaded again finds it installed.
    await ready.waitFor({ timeout: 10_000 }).catch(() => this.page.reload());
    await ready.waitFor();
    await this.page.evaluate(() => {
      const said: string[] = [];
      const announcer = document.querySelector('[role=status]');
      if (announcer === null) throw new Error('The page has no status region.');
      const note = (): void => void (announcer.textContent !== '' && said.push(announcer.textContent));
      new MutationObserver(note).observe(announcer, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { said });
    });
  }

  /** All announcements to a screen reader, in order. */
  announced(): Promise<readonly string[]> {
    return this.page.evaluate(() => (window as unknown as { readonly said: readonly string[] }).said);
  }

  async choose(label: ScenarioLabel): Promise<void> {
    await this.page.getByRole('radio', { name: label }).check();
  }

  async ask(label: ScenarioLabel): Promise<void> {
    await this.choose(label);
    await this.send.click();
  }

  /** Waits until the bubble announces this retry. */
  async untilRetry(retry: number): Promise<void> {
    await this.bubble.getByText(`retry ${retry} of 3`).waitFor();
  }

  /** Waits until the answer has begun. Call it with the clock frozen, then `untilEnded` for its end. */
  async untilAnswering(): Promise<void> {
    while ((await this.answer.count()) === 0) await this.page.clock.runFor(50);
  }

  /** Moves the clock to the end of the answer, or until there is a card. */
  async untilEnded(): Promise<void> {
    await this.page.clock.resume();
    const ended = this.page.locator('#send', { hasText: 'Send' });
    while ((await ended.count()) === 0) await this.page.clock.runFor(200);
  }

  /** Stops the clock of the page: from now on only `page.clock.runFor` moves it. */
  async freeze(): Promise<void> {
    for (let marginMs = 50; ; marginMs *= 2) {
      const moment = marginMs + (await this.page.evaluate(() => Date.now()));
      try {
        await this.page.clock.pauseAt(moment);
        return;
      } catch (error) {
        // Until it is paused the clock goes on, and on a busy machine it may have passed the moment.
        if (marginMs > 400) throw error;
      }
    }
  }

  /** The text of the focused element. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute('name') ?? activeElement?.textContent ?? '';
    });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
