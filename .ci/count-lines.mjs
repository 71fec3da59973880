// Prints how large the tree is and what the style rules forbid: lines by folder, long functions, long files, spreads
// of literals, participles as names, dependencies. `--long` also lists the long functions and files, `--json` prints JSON.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

const root = resolve(import.meta.dirname, '..');
const NOT_SERVICE = new Set(['test', 'bench', 'eval', 'demo']);
const LONGEST_FUNCTION = 60;
const LONGEST_FILE = 600;
const PARTICIPLES = new Set(['found', 'known', 'asked', 'said']);
const FUNCTIONS = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);
const DECLARATIONS = new Set([SyntaxKind.VariableDeclaration, SyntaxKind.Parameter, SyntaxKind.BindingElement]);
const LITERALS = new Set([SyntaxKind.ObjectLiteralExpression, SyntaxKind.ArrayLiteralExpression]);
const SPREADS = new Set([SyntaxKind.SpreadAssignment, SyntaxKind.SpreadElement]);

const read = (file) => readFileSync(resolve(root, file), 'utf8');
const linesOf = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const folderOf = (file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.');

/** What one file declares, by TypeScript's own parser: its long functions, participles and spreads of literals. */
function declarationsOf(source, file) {
  const longFunctions = [];
  let participles = 0;
  let spreads = 0;
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (FUNCTIONS.has(node.kind)) {
      const start = lineAt(node.getStart(source));
      const lines = lineAt(node.end) - start + 1;
      const name = node.name?.text ?? node.parent?.name?.text ?? '(anonymous)';
      if (lines > LONGEST_FUNCTION) longFunctions.push({ file, line: start + 1, name, lines });
    }
    if (DECLARATIONS.has(node.kind) && PARTICIPLES.has(node.name?.text)) participles += 1;
    if (SPREADS.has(node.kind) && LITERALS.has(node.expression.kind)) spreads += 1;
    node.forEachChild(visit);
  };
  visit(source);
  return { file, longFunctions, participles, spreads };
}

/** What each of the files declares. */
function declarationsOfAll(files) {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [resolve(root, 'tsconfig.json')] }).getProjects()[0];
    return files.flatMap((file) => {
      const source = project.program.getSourceFile(resolve(root, file));
      return source ? [declarationsOf(source, file)] : [];
    });
  } finally {
    api.close();
  }
}

const { values: options } = parseArgs({ options: { json: { type: 'boolean' }, long: { type: 'boolean' } } });
const tracked = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const isService = ({ file }) => !NOT_SERVICE.has(folderOf(file));
const sizes = tracked.map((file) => ({ file, folder: folderOf(file), lines: linesOf(read(file)) }));
const sum = (rows, field) => rows.reduce((total, row) => total + row[field], 0);
const byFolder = Object.fromEntries(
  [...Map.groupBy(sizes, ({ folder }) => folder)].map(([folder, rows]) => [folder, sum(rows, 'lines')]),
);
const declared = declarationsOfAll(tracked);
const longFunctions = declared
  .filter(({ file }) => !['bench', 'eval', 'test'].includes(folderOf(file)))
  .flatMap((one) => one.longFunctions)
  .sort((one, other) => other.lines - one.lines);
const manifest = JSON.parse(read('package.json'));
const counts = {
  service_lines: sum(sizes.filter(isService), 'lines'),
  service_folders: Object.fromEntries(Object.entries(byFolder).filter(([folder]) => !NOT_SERVICE.has(folder))),
  test_lines: byFolder.test,
  bench_lines: byFolder.bench,
  eval_lines: byFolder.eval,
  demo_lines: byFolder.demo,
  functions_over_60_lines: longFunctions.length,
  files_over_600_lines: sizes.filter(({ lines }) => lines > LONGEST_FILE).length,
  spreads_of_literals: sum(declared, 'spreads'),
  participles_as_names: sum(declared.filter(isService), 'participles'),
  participles_elsewhere: sum(
    declared.filter((one) => !isService(one)),
    'participles',
  ),
  dependencies: Object.keys(manifest.dependencies).length,
  development_dependencies: Object.keys(manifest.devDependencies).length,
  files_not_parsed: tracked.length - declared.length,
};

if (options.json) console.log(JSON.stringify(counts, null, 2));
else
  for (const [name, count] of Object.entries(counts)) {
    const text = typeof count === 'number' ? count.toLocaleString('en') : '';
    console.log(`${name.replaceAll('_', ' ').padEnd(28)}${text.padStart(9)}`);
    if (typeof count === 'object')
      for (const [folder, lines] of Object.entries(count))
        console.log(`  ${folder.padEnd(26)}${lines.toLocaleString('en').padStart(9)}`);
  }
if (options.long) {
  for (const { file, line, name, lines } of longFunctions) console.log(`${lines} lines  ${name}  ${file}:${line}`);
  for (const { file, lines } of sizes.filter((size) => size.lines > LONGEST_FILE))
    console.log(`${lines} lines  ${file}`);
}
