/**
 * `npm run eval`: measures understanding, matching and answering on the project's own labelled sets, prints the tables, and ends
 * with 1 when a figure fell by more than 0.02 below the committed one.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

let failed = false;
for (const name of ['understanding', 'matching', 'ask']) {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
