import type { Agent } from './agent.ts';
import { aicommits } from './aicommits.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueCli } from './continue.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { ohMyPi } from './oh-my-pi.ts';
import { opencode } from './opencode.ts';
import { opencommit } from './opencommit.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

/** In the order of the tables. */
export const agents: readonly Agent[] = [
  claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
  pi,
  ohMyPi,
  cline,
  copilot,
  continueCli,
  aicommits,
  opencommit,
];
