import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { classifyCommand } from '../../../src/cli/commands/classify.ts';
import { completionCommand } from '../../../src/cli/commands/completion.ts';
import { demoCommand } from '../../../src/cli/commands/demo.ts';
import { requestCommand } from '../../../src/cli/commands/request.ts';
import { fakeTerminal } from '../fake-terminal.ts';

const command = completionCommand([requestCommand, demoCommand, classifyCommand]);

async function scriptFor(shell: string): Promise<string> {
  const terminal = fakeTerminal();
  expect(await command.run([shell], terminal)).toBe(0);
  return terminal.output.text;
}

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe('completion', () => {
  it.runIf(hasBash).each([
    ['req', ['request']],
    ['', ['request', 'demo', 'classify', 'completion', 'help']],
    ['completion z', ['zsh']],
    ['request --m', ['--method', '--max-retries', '--max-retry-after']],
    ['demo --s', ['--scenario', '--speed']],
    ['demo overload --js', ['--json']],
    ['help --', []],
    ['request --preset ', ['standard', 'patient', 'background', 'agent', 'taxonomy', 'fleet']],
    ['request https://a.example --preset pa', ['patient']],
    ['demo --scenario p', ['proxy']],
    ['classify gemini-429-quota', ['gemini-429-quota-zero']],
    ['help d', ['demo']],
  ])('completes "retry-transport %s" in bash', async (line, words) => {
    const typed = ['retry-transport', ...line.split(' ')];
    const program = `${await scriptFor('bash')}
COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${typed.length - 1}
_retry_transport; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((word) => word !== '')).toEqual(words);
  });

  it('completes the same in zsh, by way of its bash completion', async () => {
    const script = await scriptFor('zsh');
    expect(script).toMatch(/^autoload -U \+X bashcompinit && bashcompinit\n/);
    expect(script).toContain(await scriptFor('bash'));
  });

  it('prints a line for each command and each of its options in fish', async () => {
    const lines = (await scriptFor('fish')).trimEnd().split('\n');
    expect(lines).toContain(
      String.raw`complete -c retry-transport -n __fish_use_subcommand -f -a demo -d 'see it work: an overloaded provider, in a few seconds'`,
    );
    expect(lines).toContain("complete -c retry-transport -n '__fish_seen_subcommand_from request' -l deadline");
    expect(lines).toContain(
      "complete -c retry-transport -n '__fish_seen_subcommand_from demo' -l scenario -x -a 'overload quota fallback context rotation proxy cut stall truncated hold'",
    );
    for (const line of lines) expect(line).toMatch(/^complete -c retry-transport -n \S/);
  });

  it.each([
    [[], 'Expected the shell, one of bash, zsh, fish, got none.'],
    [['tcsh'], 'Expected the shell, one of bash, zsh, fish, got "tcsh".'],
    [['bash', 'zsh'], 'Unexpected argument "zsh"; leave it out, or put quotes around a value with spaces.'],
    [['--json'], 'Unknown option --json; the options are --help.'],
  ])('refuses %j in one line that names the fix', async (argv, message) => {
    await expect(command.run(argv, fakeTerminal())).rejects.toThrow(new UsageError(message));
  });
});
