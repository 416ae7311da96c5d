/** `completion`: a script that teaches a shell the commands and their options, which it reads off their help. */

import { expectNoMore, readArguments, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED } from '../exit-code.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/** The command, for those beside it. */
export function completionCommand(commands: readonly CliCommand[]): CliCommand {
  return {
    name: 'completion',
    summary: 'print a script for your shell: bash, zsh or fish',
    help: `Prints a script that completes the commands and their options.

Usage: retry-transport completion bash | zsh | fish

  -h, --help            this text

Exit codes: 0 printed, 2 bad arguments.

Examples:
  eval "$(retry-transport completion bash)"    # in ~/.bashrc
  eval "$(retry-transport completion zsh)"     # in ~/.zshrc, after compinit
  retry-transport completion fish | source     # in config.fish
`,
    async run(argv, terminal) {
      const [value, ...more] = readArguments(argv, {}).positionals;
      expectNoMore(more);
      const shell = SHELLS.find((known) => known === value);
      if (shell === undefined) {
        const got = value === undefined ? 'none' : JSON.stringify(value);
        throw new UsageError(`Expected the shell, one of ${SHELLS.join(', ')}, got ${got}.`);
      }
      terminal.output.write(SCRIPTS[shell](commands));
      return ANSWERED;
    },
  };
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CliCommand[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

function bashScript(commands: readonly CliCommand[]): string {
  const cases = commands.map((command) => `    ${command.name}) words='${optionsOf(command).join(' ')}' ;;`);
  return `_retry_transport() {
  local words=''
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='${[...commands.map(({ name }) => name), 'help'].join(' ')}'
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _retry_transport retry-transport
`;
}

function fishScript(commands: readonly CliCommand[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c retry-transport -n __fish_use_subcommand -f -a ${command.name} -d '${command.summary.replaceAll("'", String.raw`\'`)}'`,
    ...optionsOf(command).map(
      (option) => `complete -c retry-transport -n '__fish_seen_subcommand_from ${command.name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

/** The long options that the help has a line for. */
function optionsOf({ help }: CliCommand): readonly string[] {
  return [...help.matchAll(/^ {2,6}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option);
}
