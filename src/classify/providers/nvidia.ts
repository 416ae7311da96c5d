/**
 * NVIDIA NIM: problem JSON, where a model is a function. A function without workers is a 400, and recovers.
 * https://github.com/tashfeenahmed/freellmapi/issues/522, https://github.com/Alishahryar1/free-claude-code/issues/956
 */

import type { Family } from '../family.ts';

export const NVIDIA: Family = {
  provider: 'nvidia',
  headers: 'nvcf-reqid nvcf-status',
  signature: 'nvidia.com',
  decisive: [['model_not_found', '', 'not found for account']],
  anyStatus: [['overloaded', '', 'degraded function']],
};
