/** Writes the pictures of docs/images. */
import { mkdir } from 'node:fs/promises';
import { serveChat } from './chat-page.ts';
import { whyNotHere } from './chromium.ts';
import { type StateName, visitStates } from './states.ts';

interface Shots {
  readonly suffix: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
  readonly states: readonly StateName[];
}

const DESK = { width: 640, height: 560 };
const SHOTS: readonly Shots[] = [
  { suffix: 'light', colorScheme: 'light', viewport: DESK, states: ['waiting', 'quota', 'answered'] },
  { suffix: 'dark', colorScheme: 'dark', viewport: DESK, states: ['waiting', 'quota', 'answered'] },
  {
    suffix: 'phone',
    colorScheme: 'light',
    viewport: { width: 360, height: 740 },
    states: ['waiting', 'quota', 'answered'],
  },
];
const folder = process.argv[2] ?? new URL('../../docs/images', import.meta.url).pathname;

if (whyNotHere !== undefined) console.log(whyNotHere);
else {
  await mkdir(folder, { recursive: true });
  const site = await serveChat();
  try {
    for (const { suffix, colorScheme, viewport, states } of SHOTS) {
      const chat = await site.open({ colorScheme, viewport, reducedMotion: 'reduce' });
      const shoot = async (state: StateName): Promise<void> => {
        await chat.page.screenshot({ path: `${folder}/chat-${state}-${suffix}.png` });
      };
      await visitStates(chat, shoot, states);
      await chat.close();
    }
  } finally {
    await site.close();
  }
}
