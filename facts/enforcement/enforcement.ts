/** What regulators and courts did: penalties, notices, recalls, cases, approvals and new rules. */
import { defineFact } from '../fact.ts';
import { joined } from '../wording.ts';
import { enforcement as stored } from './fields.ts';
import { enforcementReading } from './read.ts';
import { enforcementTable } from './table.ts';

export const enforcement = defineFact({
  kind: 'enforcement',
  stored,
  read: enforcementReading,
  table: enforcementTable,
  page: {
    title: 'Enforcement and rules',
    about: 'What regulators and courts did: penalties, notices, recalls, cases, approvals and new rules.',
    columns: [
      { name: 'Regulator or court', shows: 'regulator' },
      { name: 'Firm', shows: 'firm', link: 'firm_slug' },
      { name: 'Action', shows: 'action', isLabel: true },
      { name: 'Status', shows: 'status', isLabel: true },
    ],
    totals: [
      ['decided', 'decided or settled'],
      ['open', 'proposed, pending, appealed or stayed'],
      ['overturned', 'set aside'],
      ['unstated', 'without a stated status'],
    ],
    note: '{rows}, one for each entry of the kind Rules. Regulator, action and status are read from the words of the report; empty where they do not say.',
  },
  form: { title: 'Enforcement', phrase: 'the enforcement', parts: ['action', 'regulator', 'firm', 'status'] },
  ask: {
    move: 'rules',
    line: ({ regulator, firm, action, status }) => ({
      name: 'Enforcement',
      value: joined([regulator, firm, action, status]),
      words: [regulator, firm],
    }),
    columns: ['Regulator or court', 'Firm', 'Action', 'Stage'],
    cells: ({ regulator, firm, action, status }) => [regulator, firm, action, status],
  },
  example: { regulator: 'FSSAI', firm: 'Kiri Foods', action: 'penalty', status: 'decided' },
});
