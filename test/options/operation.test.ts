import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  classifyOperation,
  knownSafety,
  type OperationLabel,
  type OperationSafety,
} from '../../src/options/operation.ts';

const LABELS: Readonly<Record<OperationSafety, string>> = {
  safe:
    'model_request embedding_request token_count model_list file_read directory_list search context_load plan_read ' +
    'health_check checkpoint_create validation read get list head options query GET',
  conditional: 'file_write file_edit file_move file_delete file_apply file_build plan_update context_update',
  irreversible:
    'tool_call shell_exec shell_destructive external_api_write external_webhook deploy git_push database_write ' +
    'email_send send_notification payment publish',
};
const SAFETY = Object.entries(LABELS).flatMap(([safety, labels]) => labels.split(' ').map((label) => [label, safety]));

describe('the safety of an operation', () => {
  test.each(SAFETY)('of %s is %s', (label = '', safety) => {
    expect([knownSafety(label), classifyOperation(label)]).toEqual([safety, safety]);
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

  test('has a type that names some labels and allows others', () => {
    expectTypeOf<'deploy'>().toExtend<OperationLabel>();
    expectTypeOf<string>().toExtend<OperationLabel>();
  });
});
