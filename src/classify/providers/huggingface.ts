/**
 * Hugging Face: `{ error }`, with `estimated_time` while a model loads; Text Generation Inference adds `error_type`.
 * https://huggingface.co/docs/api-inference, https://github.com/huggingface/unity-api/issues/18
 */

import type { Family } from '../family.ts';

export const HUGGINGFACE: Family = {
  provider: 'huggingface',
  headers: 'x-compute-type',
  signature: 'huggingface.co hf.co/',
  decisive: [['billing_error', '', 'requires a pro subscription']],
  // 424, if the server behind it has failed.
  usual: [['server_error', '(incomplete_)?generation@(424|500)']],
  alone: [['overloaded', '', 'is currently loading']],
};
