/** `clarity sources`: the roster, for its operators. */
import type { Command } from 'commander';
import { addApply } from './sources/apply.ts';
import { addChanges } from './sources/change.ts';
import { addDiscover } from './sources/discover.ts';
import { addExchange } from './sources/exchange.ts';
import { addHistory } from './sources/history.ts';
import { addList } from './sources/list.ts';
import { addShow } from './sources/show.ts';
import { addTry } from './sources/try.ts';

export function addSources(program: Command): void {
  const sources = program.command('sources').description('the roster: look, test, change, exchange');
  addList(sources);
  addShow(sources);
  addHistory(sources);
  addTry(sources);
  addDiscover(sources);
  addChanges(sources);
  addApply(sources);
  addExchange(sources);
}
