// Adds up what the test runs reported: fails on a failure, on an empty run, and where a check that needs more than Node
// was skipped. (A few of the others are for root alone, or for Linux.)
import { readFileSync } from 'node:fs';

const runs = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const external = runs.at(-1);
/** Needs a program that not every machine can have. */
const OPTIONAL = /\/(?:pooler|eventstore-adapter)\.external\.test\.ts$/;
const isSkipped = ({ status }) => status === 'skipped' || status === 'pending';
const lacking = external.testResults
  .filter(({ name }) => !OPTIONAL.test(name))
  .flatMap(({ assertionResults }) => assertionResults.filter(isSkipped));
const sum = (field) => runs.reduce((total, run) => total + run[field], 0);
const [passed, failed, skipped] = [sum('numPassedTests'), sum('numFailedTests'), sum('numPendingTests')];

for (const file of runs.flatMap((run) => run.testResults))
  for (const test of file.assertionResults) if (isSkipped(test)) console.log(`skipped: ${test.fullName}`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || lacking.length > 0 || runs.some((run) => run.numPassedTests === 0)) process.exit(1);
