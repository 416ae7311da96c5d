/** Writes the pictures of docs/images. */
import { mkdir } from 'node:fs/promises';
import { serveChat } from './chat-page.ts';
import { whyNotHere } from './chromium.ts';
import { type StateName, visitStates } from './states.ts';

interface Shots {
  readonly suffix: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

const STATES: readonly StateName[] = ['waiting', 'quota', 'answered'];
const SHOTS: readonly Shots[] = [
  { suffix: 'light', colorScheme: 'light', viewport: { width: 600, height: 620 } },
  { suffix: 'dark', colorScheme: 'dark', viewport: { width: 600, height: 620 } },
  { suffix: 'phone', colorScheme: 'light', viewport: { width: 360, height: 680 } },
];
const folder = process.argv[2] ?? new URL('../../docs/images', import.meta.url).pathname;

if (whyNotHere !== undefined) console.log(whyNotHere);
else {
  await mkdir(folder, { recursive: true });
  const site = await serveChat();
  try {
    for (const { suffix, colorScheme, viewport } of SHOTS) {
      const chat = await site.open({ colorScheme, viewport, reducedMotion: 'reduce' });
      const shoot = async (state: StateName): Promise<void> => {
        await chat.page.screenshot({ path: `${folder}/chat-${state}-${suffix}.png` });
      };
      await visitStates(chat, shoot, STATES);
      await chat.close();
    }
  } finally {
    await site.close();
  }
}
