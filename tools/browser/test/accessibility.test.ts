import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatPage, type ChatSite, serveChat } from '../chat-page.ts';
import { type StateName, visitStates } from '../states.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 360, height: 740 };

let site: ChatSite;

beforeAll(async () => {
  site = await serveChat();
});
afterAll(() => site.close());

/** The serious and critical findings of the checker, one line each. */
async function findings({ page }: ChatPage): Promise<readonly string[]> {
  await page.clock.resume();
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { readonly axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/** What is too wide for a phone or too small for a thumb. */
async function misfits({ page }: ChatPage): Promise<readonly string[]> {
  const desk = page.viewportSize() ?? PHONE;
  await page.setViewportSize(PHONE);
  const found = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = scrollWidth > clientWidth ? [`${scrollWidth} pixels wide`] : [];
    const small = [...document.querySelectorAll('button, fieldset label, #question')]
      .filter((control) => Math.min(control.clientWidth, control.clientHeight) < 32)
      .map((control) => `small: ${control.textContent}`);
    return [...wide, ...small];
  });
  await page.setViewportSize(desk);
  return found;
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('the checker finds nothing serious, and a phone shows everything, whatever the state', async () => {
    const chat = await site.open({ colorScheme, reducedMotion: 'reduce' });
    const visited: StateName[] = [];
    await visitStates(chat, async (state) => {
      visited.push(state);
      expect([state, await misfits(chat), await findings(chat)]).toEqual([state, [], []]);
    });
    expect(visited).toHaveLength(9);
    await chat.close();
  }, 90_000);
});

test('both checks find real mistakes', async () => {
  const chat = await site.open();
  await chat.page.addStyleTag({ content: '#about { color: light-dark(#b9b5ae, #55504a); min-width: 400px }' });
  expect(await findings(chat)).toEqual([expect.stringMatching(/^color-contrast: <p id="about"/)]);
  expect(await misfits(chat)).toEqual([expect.stringMatching(/^4\d\d pixels wide$/)]);
  await chat.close();
});

describe.each([
  ['reduce', 'nothing moves', 0],
  ['no-preference', 'the meter and the caret move', 1],
] as const)('with the preference %s for motion', (reducedMotion, title, moving) => {
  test(title, async () => {
    const chat = await site.open({ reducedMotion });
    const animated = (): Promise<number> =>
      chat.page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    for (const state of ['waiting', 'streaming'] as const) {
      await visitStates(chat, async () => expect([state, await animated()]).toEqual([state, moving]), [state]);
    }
    await chat.close();
  });
});
