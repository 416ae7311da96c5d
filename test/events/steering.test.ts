import { describe, expect, test } from 'vitest';
import { isController, steeringOf } from '../../src/events/steering.ts';
import { RetryController } from '../../src/index.ts';

describe('a controller', () => {
  test.each([[undefined], [null], [7], ['controller'], [{}], [Object.create(RetryController.prototype)]])(
    'is not %j',
    (value) => {
      expect(isController(value)).toBe(false);
    },
  );

  test('is one that was made, also of a class of the caller’s', () => {
    class Own extends RetryController {}
    expect([isController(new RetryController()), isController(new Own())]).toEqual([true, true]);
  });

  test('that was not made is refused by name', () => {
    expect(() => steeringOf({})).toThrow(new TypeError('Expected `controller` to be a RetryController.'));
  });
});
