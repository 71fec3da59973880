import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const clarity = (...words: string[]) => run(process.execPath, ['bin/clarity.ts', ...words], { cwd: root });

/** Commands: each is added to the program by an exported function that is called after it. */
const commands = globSync('bin/commands/*.ts', { cwd: root }).flatMap((file) =>
  [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/^export function add(\w+)\(program: Command\)/gm)].map(
    ([, name = '']) => name.toLowerCase(),
  ),
);

describe('clarity', () => {
  it('given --help, then every command is listed with a summary', async () => {
    const { stdout } = await clarity('--help');
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].flatMap(([, name]) => name ?? []);
    expect(listed.filter((name) => name !== 'npm').toSorted()).toEqual(commands.toSorted());
  });

  it('given an unknown command, then it ends with an error that suggests the nearest', async () => {
    await expect(clarity('souces')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean sources?'),
    });
  });

  it('given a command, then only the module of that command is loaded', () => {
    const program = readFileSync(`${root}/bin/clarity.ts`, 'utf8');
    expect(program).not.toMatch(/^import .*commands\//m);
  });
});
