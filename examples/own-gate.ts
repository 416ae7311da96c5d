import { createRetryFetch, type Gate } from 'retry-transport';

/** Your own gate: at most two requests at a time, for your own server that can do no more. */
const free = [1, 2];
const line: ((slot: number) => void)[] = [];
const give = (slot: number): void => {
  const next = line.shift();
  if (next === undefined) free.push(slot);
  else next(slot);
};

const gate: Gate = {
  keyOf: ({ url }) => new URL(url).origin,
  get waiting() {
    return line.length;
  },
  readings: () => [],
  session: ({ url }) => {
    let slot: number | undefined;
    const giveBack = (): void => {
      if (slot !== undefined) give(slot);
      slot = undefined;
    };
    return {
      key: new URL(url).origin,
      estimate: () => ({ go: true }),
      take: async () => {
        slot = free.pop() ?? (await new Promise<number>((resolve) => line.push(resolve)));
        return { go: true };
      },
      takeAnyway: () => {},
      report: giveBack,
      leave: giveBack,
    };
  },
};

const fetch = createRetryFetch({ gate });
const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => fetch(`https://api.example.com/${name}`)));
console.log(answers.map(({ status }) => status).join(' '));
