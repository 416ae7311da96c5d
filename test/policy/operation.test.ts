import { describe, expect, expectTypeOf, test } from 'vitest';
import { classifyOperation, type OperationLabel } from '../../src/policy/operation.ts';

describe('the safety of an operation', () => {
  test.each([
    ['model_request', 'safe'],
    ['embedding_request', 'safe'],
    ['health_check', 'safe'],
    ['file_write', 'conditional'],
    ['file_delete', 'conditional'],
    ['shell_exec', 'irreversible'],
    ['git_push', 'irreversible'],
    ['payment', 'irreversible'],
    ['checkpoint_create', 'safe'],
    ['validation', 'safe'],
    ['read', 'safe'],
    ['GET', 'safe'],
    ['list', 'safe'],
    ['file_build', 'conditional'],
    ['shell_destructive', 'irreversible'],
    ['send_notification', 'irreversible'],
    ['external_webhook', 'irreversible'],
  ] as const)('of %s is %s', (label, safety) => {
    expect(classifyOperation(label)).toBe(safety);
  });

  test.each(['Model Request', ' model-request ', 'MODEL_REQUEST'])(
    'is found however the label is spelt: %j',
    (label) => {
      expect(classifyOperation(label)).toBe('safe');
    },
  );

  test.each(['', 'unheard_of', 'constructor', '__proto__', 'model_request; deploy'])(
    'of the unknown %j is irreversible',
    (label) => {
      expect(classifyOperation(label)).toBe('irreversible');
    },
  );

  test('has a type that names the known labels and admits others', () => {
    expectTypeOf<'payment'>().toExtend<OperationLabel>();
    expectTypeOf<string>().toExtend<OperationLabel>();
  });
});
