/** How a further question of a conversation is read together with the one before it. */
import { describe, expect, it } from 'vitest';
import { type Focus, readTurn } from '../../../answer/question/follow-up.ts';
import { wantReader } from '../../../answer/question/learned-reading.ts';
import type { TypedQuery } from '../../../answer/question/typed-query.ts';
import { loadCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { casesOf } from '../../harness/cases.ts';
import { brandSlug } from '../../harness/ids.ts';
import { summaryOf } from './query-summary.ts';

const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
/** A Saturday, 12:00 in IST. */
const now = new Date('2026-11-21T06:30:00Z');
const known = [{ type: 'brand', slug: 'kiri-foods', name: 'Kiri Foods' }] as const;
const UNCITED: Focus = { person: null, brands: [], signals: [] };
const focus: Focus = {
  person: 'Ritu Rao',
  brands: [{ slug: brandSlug('trent'), name: 'Trent' }],
  signals: ['sig_0000000000000001' as never],
};
const readWant = wantReader(null);
const turns = async (texts: readonly string[], about: Focus = focus): Promise<string> => {
  let before: TypedQuery | null = null;
  for (const text of texts)
    before = await readTurn(text, { catalogue, now, known, readWant }, { before, focus: about });
  return before ? summaryOf(before) : '';
};

describe('a follow-up', () => {
  it('given a city of the record that a company of the same trade begins with, then it is the company, but not after stores', async () => {
    const city = [{ type: 'city', slug: 'kalyan', name: 'Kalyan' }] as const;
    const tools = { catalogue, now, known: city, readWant };
    const afterwards = async (text: string): Promise<string> => {
      const before = await readTurn(text, tools, { before: null });
      return summaryOf(await readTurn('what about Kalyan', tools, { before }));
    };

    expect(await afterwards('How did Titan do in Q2?')).toContain('brands=kalyan-jewellers');
    expect(await afterwards('Titan stores in Pune')).toContain('places=Kalyan');
  });

  const first = 'How many stores did Zudio open in Surat last week?';
  const stores = 'kinds=stores; period=2026-11-09..2026-11-16; store_status=opened; measure=stores';
  const cited = 'among=sig_0000000000000001';
  const CASES = casesOf(`
${first} / and in Chennai? → count; brands=zudio; places=Chennai; ${stores}
${first} / the week before →
  count; brands=zudio; places=Surat; kinds=stores; period=2026-11-02..2026-11-09; store_status=opened; measure=stores
${first} / What about Trent? → count; brands=trent; places=Surat; ${stores}
${first} / why? →
  why; brands=zudio; places=Surat; kinds=stores; period=2026-11-09..2026-11-16; store_status=opened; ${cited}
${first} / who reported this? → sources; brands=zudio; places=Surat; ${stores}; ${cited}
${first} / Who is the new CFO of Nykaa? → person; brands=nykaa; kinds=people; person=CFO joined
${first} / Who is the new CFO of Nykaa? / what happened to the old one? →
  person; brands=nykaa; kinds=people; person=CFO left
Nykaa deals / at what price? → list; brands=nykaa; kinds=deals; ${cited}
Who left Nykaa in October? / who replaced them? → person; brands=nykaa; kinds=people; person=successor
Which D2C brands raised money in July? / only footwear →
  list; categories=footwear; kinds=deals; period=2026-07-01..2026-08-01; deal=funding
Why did Zudio shut in Surat? / who takes the space? →
  list; brands=zudio; places=Surat; kinds=stores; store_status=closed
Who is the new CFO of Nykaa? / who was in the job before him? →
  person; brands=nykaa; kinds=people; person=CFO predecessor Ritu Rao
Which brands opened stores in Pune last month? / only jewellery →
  list; categories=jewellery; places=Pune; kinds=stores; period=2026-10-01..2026-11-01; store_status=opened
Which brands opened stores in Pune last month? / how many of these? →
  count; places=Pune; kinds=stores; period=2026-10-01..2026-11-01; store_status=opened; measure=stores; ${cited}
store openings in Mumbai / not the planned ones → list; places=Mumbai; kinds=stores; store_status=opened
How did Tanishq do in Q2? / what about Malabar? →
  result; brands=malabar-gold-and-diamonds; kinds=results; period=Q2 FY27; metric=any
store openings in Mumbai / except Tanishq → list; places=Mumbai; kinds=stores; except=tanishq; store_status=openings
What happened at Trent this week? / did they raise money? →
  list; brands=trent; kinds=deals; period=2026-11-16..2026-11-22; deal=funding
deals this week / which stores did they open? →
  list; brands=trent; kinds=stores; period=2026-11-16..2026-11-22; store_status=opened
What happened at Trent this week? / Who raised money this month? →
  list; kinds=deals; period=2026-11-01..2026-11-22; deal=funding
How did Titan do in Q2? / what about Kalyan → result; brands=kalyan-jewellers; kinds=results; period=Q2 FY27; metric=any
stake sales in Nykaa / who bought? → list; brands=nykaa; kinds=deals; deal=stake_sale; ${cited}
How much did Nykaa raise? / from whom? → sum; brands=nykaa; kinds=deals; deal=funding target; measure=raised
Who owns Kiri Foods? / where is it available? → list; brands=kiri-foods; words=available
Trent revenue in Q2 / compare with DMart →
  compare; brands=trent+dmart; kinds=results; period=Q2 FY27; metric=revenue; measure=metric; by=brand
Who left Swiggy? / What about Zomato? → person; brands=zomato; kinds=people; person=left
Did Lenskart open in Delhi? / Chennai → list; brands=lenskart; places=Chennai; kinds=stores; store_status=opened
Who left Blinkit? / who replaced them? / any food safety issue? →
  list; brands=blinkit; themes=food-safety-and-labelling; words=issue
What did Trent say on exports? / any store openings? → list; brands=trent; kinds=stores; store_status=openings
How is Nykaa doing? / in fashion? → happened; brands=nykaa; categories=fashion
${first} / should I buy its shares? → outside
`);
  it.each(CASES)('given %j, then the last turn is read as %j', async (texts, expected) => {
    expect(await turns(texts.split(' / '))).toBe(expected);
  });

  it('given a size after an answer that cited nothing, then what was asked is narrowed to it', async () => {
    expect(await turns(['deals last week', 'above 100 crore'], UNCITED)).toBe(
      'list; kinds=deals; period=2026-11-09..2026-11-16; condition=amount above 1000000000 rupees',
    );
  });
});
