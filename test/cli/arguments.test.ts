import { describe, expect, it } from 'vitest';
import { parseCommand, UsageError } from '../../src/cli/arguments.ts';

const URL = 'https://api.example.com/v1/messages';

describe('parseCommand', () => {
  it('plays the demonstration when nothing is said', () => {
    expect(parseCommand([])).toEqual({ name: 'demo', scenario: 'overload', speed: 1, json: false, colour: true });
    expect(parseCommand(['demo', '--speed', '2.5', '--json', '--no-color'])).toEqual({
      name: 'demo',
      scenario: 'overload',
      speed: 2.5,
      json: true,
      colour: false,
    });
  });

  it.each(['overload', 'quota', 'fallback', 'context', 'rotation'])('knows the scenario %s', (scenario) => {
    expect(parseCommand(['--scenario', scenario])).toMatchObject({ name: 'demo', scenario });
    expect(parseCommand(['demo', '--scenario', scenario])).toMatchObject({ name: 'demo', scenario });
  });

  it('sends a request when a URL is given, by either spelling', () => {
    const request = { name: 'request', method: 'GET', url: URL, data: undefined, headers: {}, preset: 'standard' };
    expect(parseCommand(['--url', URL])).toMatchObject(request);
    expect(parseCommand(['request', '--url', URL])).toMatchObject(request);
    expect(parseCommand(['request', URL])).toMatchObject(request);
  });

  it('posts when there is data, and reads every option', () => {
    const argv = ['--url', URL, '-d', '{}', '-H', 'X-Api-Key: k:1', '--header', 'a:b', '--preset', 'patient', '--json'];
    expect(parseCommand(argv)).toEqual({
      name: 'request',
      method: 'POST',
      url: URL,
      data: '{}',
      headers: { 'x-api-key': 'k:1', a: 'b' },
      preset: 'patient',
      json: true,
      colour: true,
    });
    expect(parseCommand(['--url', URL, '-X', 'post'])).toMatchObject({ method: 'POST', data: undefined });
    expect(parseCommand(['--url', URL, '-d', '-'])).toMatchObject({ method: 'POST', data: '-' });
  });

  it('gives help wherever it is asked for', () => {
    expect(parseCommand(['--help'])).toEqual({ name: 'help' });
    expect(parseCommand(['request', '-h'])).toEqual({ name: 'help' });
  });

  it.each([
    [['serve'], 'Unknown command "serve"; the commands are demo and request <url>.'],
    [['demo', 'x'], 'Unexpected argument "x"; put quotes around a value with spaces.'],
    [['request', URL, 'x'], 'Unexpected argument "x"; put quotes around a value with spaces.'],
    [['request'], 'request needs a URL, as in: request https://api.example.com/v1/messages.'],
    [
      ['--sped', '2'],
      'Unknown option --sped; the options are --url, --method, --data, --header, --preset, --scenario, --speed, --json, --no-color, --help.',
    ],
    [
      ['--scenario', 'flood'],
      'Expected --scenario to be one of overload, quota, fallback, context, rotation, got "flood".',
    ],
    [['--url', URL, '--scenario', 'quota'], '--scenario is for the demonstration; a request has --url.'],
    [['--speed'], "Option '--speed <value>' argument missing."],
    [['--speed', '-1'], "Option '--speed' argument is ambiguous."],
    [['--speed=fast'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "fast".'],
    [['--speed=0'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "0".'],
    [['--speed=Infinity'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "Infinity".'],
    [['--json=yes'], "Option '--json' does not take an argument."],
    [['--data', 'x'], '--data needs to know where to; add --url https://….'],
    [['demo', '--preset', 'agent'], '--preset is for a request; leave out "demo".'],
    [['--url', URL, '--speed', '2'], '--speed is for the demonstration; a request has --preset.'],
    [
      ['--url', 'messages'],
      'Expected --url to be a whole URL such as https://api.example.com/v1/messages, got "messages".',
    ],
    [
      ['--url', 'localhost:8080/v1'],
      'Expected --url to begin with http:// or https://, such as https://api.example.com/v1/messages; it begins with "localhost:".',
    ],
    [
      ['--url', 'file:///etc/hosts'],
      'Expected --url to begin with http:// or https://, such as https://api.example.com/v1/messages; it begins with "file:".',
    ],
    [
      ['--url', 'https://me:secret@example.com'],
      "Expected --url without a user and password; send them as --header 'authorization: Basic …'.",
    ],
    [['--url', URL, '-X', 'PUT'], 'Expected --method to be GET or POST, got "PUT".'],
    [['--url', URL, '-X', 'get', '-d', 'x'], 'GET sends no --data; leave out --method, or say --method POST.'],
    [
      ['--url', URL, '--preset', 'eager'],
      'Expected --preset to be one of standard, patient, background, agent, taxonomy, got "eager".',
    ],
    [
      ['--url', URL, '-H', 'sk-secret'],
      "Expected --header to be 'name: value', such as 'x-api-key: …'; one has no name before a colon.",
    ],
    [
      ['--url', URL, '-H', 'x key: sk-secret'],
      'Expected --header "x key" to be a header: a name without spaces, a value in one line of Latin-1.',
    ],
  ])('refuses %j in one line that names the fix', (argv, message) => {
    const parse = () => parseCommand(argv);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(new UsageError(message));
    expect(message).not.toContain('\n');
    expect(message).not.toContain('secret');
  });
});
