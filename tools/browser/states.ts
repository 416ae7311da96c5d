/** Walks through every state of the chat page, for tests and screenshots. */

import type { ChatPage } from './chat-page.ts';

export type StateName =
  | 'start'
  | 'waiting'
  | 'sending'
  | 'streaming'
  | 'answered'
  | 'quota'
  | 'stopped'
  | 'broken-off'
  | 'given-up';

/** Each state has its own page, so that its picture shows nothing else. */
export async function visitStates(
  chat: ChatPage,
  visit: (state: StateName) => Promise<void>,
  only?: readonly StateName[],
): Promise<void> {
  for (const [state, reach] of Object.entries(STATES) as [StateName, Reach][]) {
    if (only !== undefined && !only.includes(state)) continue;
    await reach(chat);
    await visit(state);
    await chat.load();
  }
}

type Reach = (chat: ChatPage) => Promise<void>;

async function overloadedTwice(chat: ChatPage): Promise<void> {
  await chat.ask('Overload');
  await chat.untilRetry(1);
  await chat.retryNow.click();
  await chat.untilRetry(2);
}

const STATES: Readonly<Record<StateName, Reach>> = {
  start: (chat) => chat.choose('Overload'),
  waiting: async (chat) => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
  },
  sending: async (chat) => {
    await overloadedTwice(chat);
    await chat.retryNow.click();
  },
  streaming: async (chat) => {
    await overloadedTwice(chat);
    await chat.freeze();
    await chat.retryNow.click();
    await chat.untilAnswering();
  },
  answered: async (chat) => {
    await overloadedTwice(chat);
    await chat.page.clock.fastForward(10_000);
    await chat.untilEnded();
  },
  quota: async (chat) => {
    await chat.ask('Quota');
    await chat.untilEnded();
  },
  stopped: async (chat) => {
    await chat.ask('Overload');
    await chat.untilRetry(1);
    await chat.send.click();
    await chat.untilEnded();
  },
  'broken-off': async (chat) => {
    await chat.ask('Broken answer');
    await chat.untilEnded();
  },
  'given-up': async (chat) => {
    await chat.ask('Outage');
    for (const attempt of [1, 2, 3]) {
      await chat.untilRetry(attempt);
      await chat.retryNow.click();
    }
    await chat.untilEnded();
  },
};
