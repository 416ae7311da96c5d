/** `completion`: prints a script with which a shell completes the commands, their options and the values of these. */

import { expectNoMore, readArguments, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED } from '../exit-code.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/** Makes the command; the script completes the given commands and `completion` itself. */
export function completionCommand(commands: readonly CliCommand[]): CliCommand {
  const completion: CliCommand = {
    name: 'completion',
    summary: 'print a script for your shell: bash, zsh or fish',
    values: { '': SHELLS },
    help: `Prints a script that completes the commands, their options, and the names of
presets, scenarios and recordings.

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
      terminal.output.write(SCRIPTS[shell]([...commands, completion]));
      return ANSWERED;
    },
  };
  return completion;
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CliCommand[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

function bashScript(commands: readonly CliCommand[]): string {
  const values = commands.flatMap((command) =>
    valuesOf(command).map(([option, words]) => `    '${command.name} ${option}') words='${words.join(' ')}' ;;`),
  );
  const options = commands.map((command) => {
    const words = [...optionsOf(command), ...argumentsOf(command)];
    return `    '${command.name} '*) words='${words.join(' ')}' ;;`;
  });
  const names = commands.map(({ name }) => name).join(' ');
  return `_retry_transport() {
  local words=''
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${[...values, ...options].join('\n')}
    'help help') words='${names}' ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='${names} help'
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _retry_transport retry-transport
`;
}

function fishScript(commands: readonly CliCommand[]): string {
  const lines = commands.flatMap((command) => {
    const seen = `complete -c retry-transport -n '__fish_seen_subcommand_from ${command.name}'`;
    const values = new Map(valuesOf(command));
    return [
      `complete -c retry-transport -n __fish_use_subcommand -f -a ${command.name} -d '${command.summary.replaceAll("'", String.raw`\'`)}'`,
      ...optionsOf(command).map((option) => {
        const words = values.get(option);
        return `${seen} -l ${option.slice(2)}${words === undefined ? '' : ` -x -a '${words.join(' ')}'`}`;
      }),
      ...(argumentsOf(command).length === 0 ? [] : [`${seen} -a '${argumentsOf(command).join(' ')}'`]),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** The long options in the help of a command. */
function optionsOf({ help }: CliCommand): readonly string[] {
  return [...help.matchAll(/^ {2,6}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option);
}

function valuesOf({ values = {} }: CliCommand): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(values).filter(([option]) => option !== '');
}

function argumentsOf({ values = {} }: CliCommand): readonly string[] {
  return values[''] ?? [];
}
