import { describe, expect, test } from 'vitest';
import { findFormerEmployer, findRole, readPeople } from '../../../ingest/understand/facts/people.ts';
import { readItem } from '../../../ingest/understand/item-reading.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

describe('the role next to a name', () => {
  test.each([
    ['Trent chief operating officer Arun Mehta puts in papers', 'chief operating officer'],
    ['Trent names Arun Mehta Chief Business Officer', 'Chief Business Officer'],
    ['Exit at Trent as operations chief Arun Mehta resigns', 'operations chief'],
    ['Trent loses head of retail Arun Mehta', 'head of retail'],
    ['Co-founder and CEO Arun Mehta quits', 'Co-founder and CEO'],
    ['Arun Mehta steps down from board', 'board'],
    ['Trent hires former Nykaa CEO Arun Mehta', null],
    ['Arun Mehta to leave Trent. Its CFO stays', null],
    ['Arun Mehta to leave Trent after 9 years', null],
  ])('given "%s" it is %j', (text, role) => {
    expect(findRole(text, 'Arun Mehta')).toBe(role);
  });
});

describe('where somebody comes from', () => {
  test.each([
    ["Trent ropes in Taco Bell's Arun Mehta as CMO", 'Taco Bell'],
    ['Trent hires Arun Mehta from Zepto to be its CMO', 'Zepto'],
    ['Former Zepto executive Arun Mehta to lead Trent', 'Zepto'],
    ['Trent names Arun Mehta CFO from December', null],
    ['Trent names Arun Mehta CFO', null],
  ])('given "%s" it is %j', (text, employer) => {
    expect(findFormerEmployer(text, 'Arun Mehta')).toBe(employer);
  });
});

describe('people of two companies', () => {
  const told = (title: string, summary: string | null = null) =>
    readPeople(readItem(itemOf(title, summary), smallCatalogue), 'Zepto', ['Zepto', 'Trent']);

  test.each([
    ['Zepto COO Arun Mehta joins Trent as CEO', { company: 'Trent', from: 'Zepto', role: 'CEO' }],
    ['Arun Mehta moves from Zepto to Trent as CEO', { company: 'Trent', from: 'Zepto', role: 'CEO' }],
    ["Zepto taps Trent's Arun Mehta as CEO", { company: 'Zepto', from: 'Trent', role: 'CEO' }],
    ['Zepto insider Arun Mehta becomes CEO', { company: 'Zepto', from: null, direction: 'promoted' }],
    ['Zepto gets new finance chief in Arun Mehta', { company: 'Zepto', role: 'finance chief' }],
    ['Arun Mehta quits as chief executive of Zepto', { role: 'chief executive', direction: 'left' }],
  ])('given "%s" it is %j', (title, expected) => {
    expect(told(title)).toMatchObject([{ person: 'Arun Mehta', ...expected }]);
  });

  test('given a role that only the summary names, it is read', () => {
    expect(told('Zepto picks Arun Mehta', 'Zepto has appointed Arun Mehta as CFO.')).toMatchObject([{ role: 'CFO' }]);
  });
});
