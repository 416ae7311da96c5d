/**
 * Leaves out the tests that measure time or simulate a fleet, which a machine busy with mutants fails without a fault,
 * those that open sockets or cut streams of ten thousand events at random, and one that compares a mutated file with a
 * generated one. That can only lower the score.
 */

import { beforeEach } from 'vitest';

const LEFT_OUT =
  /linear time|^is short for|far away at once|^this Node refuses|, however it|^the rulebook has the tables|^takes eight times as long|peak and success$/;

beforeEach(({ task, skip }) => {
  if (LEFT_OUT.test(task.name)) skip();
});
