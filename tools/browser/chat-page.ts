/** The chat page in a browser, and what a person does on it. */

import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serveBuild, serveSources } from './serve.ts';

export type ScenarioLabel = 'Overload' | 'Quota' | 'Dead stream' | 'Broken answer' | 'Outage';

export interface ChatSite {
  open(options?: BrowserContextOptions): Promise<ChatPage>;
  close(): Promise<void>;
}

const config = { configFile: new URL('../../examples/chat-web/vite.config.ts', import.meta.url).pathname };

/** `sources`: as `npm run demo:web` serves it. */
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
  /** The requests to anybody but the server of the page, in order. */
  readonly requests: string[] = [];
  /** What went wrong in the page itself. */
  readonly errors: string[] = [];
  readonly send: Locator;
  readonly question: Locator;
  readonly bubble: Locator;
  readonly retryNow: Locator;
  readonly cancel: Locator;
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
    this.bubble = page.getByRole('region', { name: 'Waiting to ask again' });
    this.retryNow = this.bubble.getByRole('button', { name: 'Retry now' });
    this.cancel = this.bubble.getByRole('button', { name: 'Cancel' });
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
    await this.page.locator('#send:enabled').waitFor();
    await this.page.evaluate(() => {
      const said: string[] = [];
      const announcer = document.querySelector('[role=status]');
      if (announcer === null) throw new Error('Nobody announces.');
      const note = (): void => void (announcer.textContent !== '' && said.push(announcer.textContent));
      new MutationObserver(note).observe(announcer, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { said });
    });
  }

  /** All that a screen reader was told, in order. */
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

  /** The bubble says which attempt has failed. */
  async untilFailed(attempt: number): Promise<void> {
    await this.bubble.getByText(`attempt ${attempt} of 3`).waitFor();
  }

  /** The answer has begun; its end waits for `untilEnded`. To be called with the clock frozen. */
  async untilAnswering(): Promise<void> {
    while ((await this.answer.count()) === 0) await this.page.clock.runFor(50);
  }

  /** An answer, or a card. */
  async untilEnded(): Promise<void> {
    await this.page.clock.resume();
    await this.page.locator('#send', { hasText: 'Send' }).waitFor();
  }

  /** Stops the clock of the page where it is, so that nothing happens but by `page.clock.runFor`. */
  async freeze(): Promise<void> {
    await this.page.clock.pauseAt(await this.page.evaluate(() => Date.now() + 100));
  }

  /** What has the focus, by its words. */
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
