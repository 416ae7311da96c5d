/** What `--help` prints. */

export const HELP: string = `Asks an LLM API again when asking again can help, and shows the wait.

Usage: npm start -- [demo] [options]
       npm start -- --url <url> [options]

demo (the default) calls a server inside this program. It is overloaded, then
unreachable behind its gateway, then resets the connection, then answers.
  --scenario <name>     something else than the overload:
      quota             an exhausted quota: one request, and what has to be done
      fallback          the overload outlasts the retries, another model answers
      context           the input is too long, a model with more room answers
      rotation          two of three keys have met their limits, then all three
  --speed <factor>      2 is twice as fast, 0.5 half as fast

With --url the same happens to any address. The answer goes to standard output,
the waits to standard error.
  --url <url>           http or https
  -d, --data <data>     the body: text, @file, or - for standard input
  -H, --header <k: v>   may be repeated
  -X, --method <name>   GET or POST; POST when there is --data
  --preset <name>       standard, patient, background, agent or taxonomy

Both:
  --json                one event a line on standard output, nothing else there;
                        the answer goes to standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Keys during a wait: enter retries now, esc cancels, g gives up and hands back
the last response, ctrl-c cancels.

Exit codes: 0 answered, 1 given up, 2 bad arguments, 130 cancelled.

Examples:
  npm start
  npm start -- --speed 4 --json
  npm start -- --scenario fallback
  npm start -- --url https://api.anthropic.com/v1/messages \\
    --header "x-api-key: $ANTHROPIC_API_KEY" \\
    --header 'anthropic-version: 2023-06-01' \\
    --data @request.json --preset patient
`;
