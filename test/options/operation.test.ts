import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  classifyOperation,
  knownSafety,
  type OperationLabel,
  type OperationSafety,
} from '../../src/options/operation.ts';

const SAFETY: Readonly<Record<string, OperationSafety>> = {
  model_request: 'safe',
  embedding_request: 'safe',
  token_count: 'safe',
  model_list: 'safe',
  file_read: 'safe',
  directory_list: 'safe',
  search: 'safe',
  context_load: 'safe',
  plan_read: 'safe',
  health_check: 'safe',
  checkpoint_create: 'safe',
  validation: 'safe',
  read: 'safe',
  get: 'safe',
  list: 'safe',
  head: 'safe',
  options: 'safe',
  query: 'safe',
  file_write: 'conditional',
  file_edit: 'conditional',
  file_move: 'conditional',
  file_delete: 'conditional',
  file_apply: 'conditional',
  file_build: 'conditional',
  plan_update: 'conditional',
  context_update: 'conditional',
  tool_call: 'irreversible',
  shell_exec: 'irreversible',
  shell_destructive: 'irreversible',
  external_api_write: 'irreversible',
  external_webhook: 'irreversible',
  deploy: 'irreversible',
  git_push: 'irreversible',
  database_write: 'irreversible',
  email_send: 'irreversible',
  send_notification: 'irreversible',
  payment: 'irreversible',
  publish: 'irreversible',
};

describe('the safety of an operation', () => {
  test.each(Object.entries({ ...SAFETY, GET: 'safe' }))('of %s is %s', (label, safety) => {
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
