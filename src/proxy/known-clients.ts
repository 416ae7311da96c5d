/** What is known of clients by the beginning of their `user-agent`. docs/programs.md says how each was measured. */

/** Clients that send every 429 again, whatever `x-should-retry` says. A 402 stops them. */
const IGNORE_THE_MARK: readonly RegExp[] = [
  // The AI SDK, and what is built with it: aicommits, cline.
  /^ai\/\d/,
  /^ai-sdk/,
  /^opencode\//,
  /^GeminiCLI/,
  /^google-genai-sdk\//,
  /^QwenCode\//,
  /^aws-sdk-js\//,
  /^cohere-ai\//,
  /^voyageai\//,
  /^mistral-client-/,
  // oh-my-pi, pi.
  /^omp\//,
  /^pi \(/,
  // Continue: its build has shortened the name of the SDK's class.
  /^ls\/JS /,
];

/** Whether this client is known to retry a 429 that is marked with `x-should-retry: false`. */
export function ignoresTheMark(userAgent: string | undefined): boolean {
  return userAgent !== undefined && IGNORE_THE_MARK.some((client) => client.test(userAgent));
}

/** Clients that end a request after a minute by default, and do not announce it. */
const WAIT_A_MINUTE: readonly RegExp[] = [/^Groq\/JS /, /^Together\/JS /, /^voyageai\//];

/** The time limit of a client that does not announce one. */
export function timeLimitOf(userAgent = ''): number {
  return WAIT_A_MINUTE.some((client) => client.test(userAgent)) ? 60_000 : Number.POSITIVE_INFINITY;
}

/**
 * How a stream ends for clients that send it again after its first content, but not after an error event: it breaks, or
 * it ends as if nothing were missing, for a client that sees by itself that the answer is cut.
 */
const RETRY_A_CUT: readonly (readonly [client: RegExp, end: CutEnd])[] = [
  [/^opencode\//, 'breaks'],
  [/^pi \(/, 'breaks'],
  // After a break it asks for the rest of the answer, which may repeat what it has shown.
  [/^QwenCode\//, 'ends'],
];

export type CutEnd = 'error event' | 'breaks' | 'ends';

/** How a stream that stalls or is cut short after its first content ends for this client. */
export function cutEndFor(userAgent = ''): CutEnd {
  return RETRY_A_CUT.find(([client]) => client.test(userAgent))?.[1] ?? 'error event';
}
