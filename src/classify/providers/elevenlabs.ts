/**
 * ElevenLabs: `{ detail: { status, message } }`, where the status is a name, and a spent quota is a 401.
 * https://help.elevenlabs.io/hc/en-us/articles/19572237925521,
 * https://help.elevenlabs.io/hc/en-us/articles/19571824571921
 */

import type { Family } from '../family.ts';

export const ELEVENLABS: Family = {
  provider: 'elevenlabs',
  signature: 'elevenlabs.io',
  decisive: [['context_too_long', 'max_character_limit_exceeded']],
  // A spent quota and a shared free account are 429 too.
  anyStatus: [
    ['quota_exhausted', '', 'exceeds your quota'],
    ['account_suspended', '', 'unusual activity detected'],
  ],
  usual: [['overloaded', 'system_busy']],
};
