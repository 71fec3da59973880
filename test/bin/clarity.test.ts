import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../bin/command-list.ts';
import packageFile from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const clarity = (...words: string[]) => run(process.execPath, ['bin/start.mjs', ...words], { cwd: root });

describe('clarity', () => {
  it('given --help, then every command is listed with a summary, and given --version, the version', async () => {
    const [{ stdout: help }, { stdout: version }] = await Promise.all([clarity('--help'), clarity('--version')]);
    const listed = [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].flatMap(([, name]) => name ?? []);
    expect(listed.filter((name) => name !== 'npm')).toEqual(Object.keys(COMMANDS));
    expect(version).toBe(`${packageFile.version}\n`);
  });

  it('given an unknown command, then it ends with an error that suggests the nearest', async () => {
    await expect(clarity('souces')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean sources?'),
    });
  });

  it.each(Object.keys(COMMANDS))(
    'given the name %s, then what is loaded for it is that command alone',
    async (name) => {
      const program = new Command('clarity');
      (await COMMANDS[name]?.[1]())?.(program);
      expect(program.commands.map((command) => command.name())).toEqual([name]);
    },
  );
});
