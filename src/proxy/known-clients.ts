/**
 * Clients that send every 429 again, whatever `x-should-retry` says, by the beginning of their `user-agent`. A 402 stops
 * them. docs/programs.md says how each was measured.
 */
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
