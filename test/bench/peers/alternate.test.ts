import { expect, test } from 'vitest';
import { alternate, differencesOf, ratiosOf, readEach } from '../../../bench/peers/alternate.ts';

test('the two subjects take turns at being first, and each pair is from one round', async () => {
  const order: string[] = [];
  const sampleOf = (name: string) => () => {
    order.push(name);
    return Promise.resolve(order.length);
  };
  const pairs = await alternate(sampleOf('a'), sampleOf('b'), 3);
  expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
  expect(pairs).toEqual({ baseline: [1, 4, 5], subject: [2, 3, 6] });
});

test('ratios and differences are computed per pair, the subject over the baseline', () => {
  const pairs = { baseline: [10, 20], subject: [15, 10] };
  expect(ratiosOf(pairs)).toEqual([1.5, 0.5]);
  expect(differencesOf(pairs)).toEqual([5, -10]);
});

test('one value of samples with several values keeps its round', () => {
  const pairs = { baseline: [{ ms: 1 }, { ms: 2 }], subject: [{ ms: 3 }, { ms: 4 }] };
  expect(readEach(pairs, ({ ms }) => ms)).toEqual({ baseline: [1, 2], subject: [3, 4] });
});
