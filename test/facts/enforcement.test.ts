/** What a regulator or a court did, as headlines write it. All texts are invented. */
import { describe, expect, test } from 'vitest';
import { enforcementReading, namesRegulator, readEnforcement } from '../../facts/enforcement/read.ts';
import type { ItemFacts } from '../../facts/item-facts.ts';

const read = (headline: string) => readEnforcement({ headline, kind: null, summary: null });

describe('enforcement', () => {
  test.each([
    ['IT Ministry probes breach at Voltkart', 'IT Ministry'],
    ['Ministry of Consumer Affairs issues notice to Munchly', 'Ministry of Consumer Affairs'],
    ['Union Health Ministry bans vapes', 'Health Ministry'],
    ['The ministry asked platforms', 'Ministry'],
    ['Delhi High Court fines Munchly', 'Delhi High Court'],
    ['Google Appeals Delhi High Court Verdict', 'Delhi High Court'],
  ])('given "%s", then its regulator is %s, and the headline names it', (headline, regulator) => {
    expect(read(headline).regulator).toBe(regulator);
    expect(namesRegulator(headline, regulator)).toBe(true);
  });

  test.each([
    ['Court quashes order against Munchly', 'set aside'],
    ['Munchly withdraws plea against tax demand', null],
    ['Petition against Munchly withdrawn in Delhi High Court', null],
    ['Munchly challenges order of tribunal', 'appealed'],
  ])('given "%s", then its status is %s', (headline, status) => {
    expect(read(headline).status).toBe(status);
  });

  test('given a law that is challenged, then it is a court case and nothing was appealed', () => {
    expect(read('Kiri, Munchly challenge gig worker law')).toMatchObject({ action: 'court case', status: null });
  });

  test.each([
    'Centre doubles down on mobile manufacturing with ₹62,500 Cr scheme',
    'Govt exempts exports from FDI rules',
    'Adviser flags books of Munchly, seeks Sebi scrutiny',
    'Proxy firm asks Sebi to examine disclosures of Munchly',
    'Retail body writes to Competition Commission on deep discounts',
  ])('given help, relief or a demand such as "%s", then there is none', (headline) => {
    const item = { move: 'rules', headline, label: null, summary: null, primary: [] } as unknown as ItemFacts;
    expect(enforcementReading.read(item)).toEqual([]);
  });

  test('given what a regulator asks of a company, then there is enforcement', () => {
    const headline = 'FSSAI asks Munchly to withdraw claims on its packs';
    const item = { move: 'rules', headline, label: null, summary: null, primary: [] } as unknown as ItemFacts;
    expect(enforcementReading.read(item)).toHaveLength(1);
  });
});
