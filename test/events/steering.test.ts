import { describe, expect, test } from 'vitest';
import { steeringOf } from '../../src/events/steering.ts';
import { RetryController } from '../../src/events/controller.ts';

describe('a controller', () => {
  test.each([[undefined], [null], [7], ['controller'], [{}], [Object.create(RetryController.prototype)]])(
    'is not %j, which is refused by name',
    (value) => {
      expect(() => steeringOf(value)).toThrow(TypeError);
      expect(() => steeringOf(value)).toThrow(/^Expected `controller` to be a RetryController, got /);
    },
  );

  test('may be an instance of any subclass', () => {
    class Own extends RetryController {}
    for (const controller of [new RetryController(), new Own()])
      expect(steeringOf(controller)).toHaveProperty('publish');
  });
});
