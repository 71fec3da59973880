import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a script that prints until its reader has gone, then says by its exit code that it did its work to the end. */
async function withoutReader(script: string): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { cwd: root });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
}

const PRINTING = `
  for (let n = 0; n < 2_000; n++) {
    process.stdout.write('x'.repeat(1_000) + '\\n');
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  process.exitCode = 7;
`;

describe('a reader that has gone, as head does', () => {
  it('given output that nobody reads any more, then the work goes on to its end without a stack trace', async () => {
    const guarded = `import { tolerateBrokenPipe } from './bin/terminal.ts'; tolerateBrokenPipe(); ${PRINTING}`;
    expect(await withoutReader(guarded)).toEqual({ code: 7, errors: '' });
  });

  it('given the program itself, when its help is cut off, then no stack is printed', async () => {
    const { errors } = await withoutReader(
      "process.argv = ['node', 'clarity', 'sources', 'test', '--help']; await import('./bin/clarity.ts');",
    );
    expect(errors).toBe('');
  });
});
