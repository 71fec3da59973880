import { describe, expect, test } from 'vitest';
import { readDeal as proposeDeal } from '../../../facts/deals/read.ts';
import { findFormerEmployer, readPeople } from '../../../facts/people/read.ts';
import { findRole } from '../../../facts/people/seats.ts';
import { loadCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { readItem } from '../../../facts/text/item-reading.ts';
import { readKeySentences } from '../../../facts/text/key-sentences.ts';
import { findMall, readCities } from '../../../facts/text/places.ts';
import { chooseTheme, labelMove } from '../../../ingest/understand/classification.ts';
import { chooseDelta } from '../../../ingest/understand/key-facts.ts';
import { slugify } from '../../../schemas/scalar.ts';
import { brandRef, opening } from '../../projector/signal-events.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

/** The sentence that sums up a text about Zudio stores. */
const EVENT = 'Trent will open 40 Zudio stores in Gujarat by March.';
const readDeal = (...given: Parameters<typeof proposeDeal>) => proposeDeal(...given)?.fact ?? null;

describe('facts by kind', () => {
  const read = (title: string, summary: string | null = null) => readItem(itemOf(title, summary), smallCatalogue);

  const named = (...names: string[]) =>
    names.map((name) => ({ ...brandRef(slugify(name), name), written: name, provisional: true }));

  describe('places', () => {
    test('given an alias, then the city has its main name', () => {
      expect(readCities(read('Nykaa opens store in Bangalore'), 'stores', smallCatalogue)).toEqual(['Bengaluru']);
    });
    test('given only a mall, then its city counts', () => {
      const reading = read('Nykaa opens at Lakeside Mall');
      expect(readCities(reading, 'stores', smallCatalogue)).toEqual(['Bengaluru']);
      expect(findMall(reading)).toEqual({ name: 'Lakeside Mall', city: 'Bengaluru' });
    });
    test('given one site and a list of markets, then the site counts; a headline on another country has none of them', () => {
      const summary = 'It opened in Pune, and will go to Delhi, Bengaluru, Nashik and Surat next.';
      expect(readCities(read('Nykaa begins its salons', summary), 'stores', smallCatalogue)).toEqual(['Pune']);
      expect(readCities(read('Nykaa to open Canada and Nepal stores', summary), 'stores', smallCatalogue)).toEqual([]);
    });
    test('given a foreign city after a word with a capital, then it counts', () => {
      expect(readCities(read('Nykaa Lenders Go To Court In Singapore'), 'rules', smallCatalogue)).toEqual([
        'Singapore',
      ]);
    });
    test('given a court, then its seat is not a place of the move', () => {
      expect(readCities(read('Delhi High Court hears Nykaa plea'), 'rules', smallCatalogue)).toEqual([]);
      expect(readCities(read('Pune-based Swadling enters Surat'), 'stores', smallCatalogue)).toEqual(['Surat']);
    });
  });

  describe('the delta', () => {
    test('given several figures, then that of the move is used', () => {
      expect(chooseDelta(read('Bunwala targets Rs 200 Cr revenue and 70 outlets'), 'stores')?.text).toBe('70 outlets');
      expect(chooseDelta(read('Bunwala sells 12% stake for Rs 40 crore'), 'deals')?.text).toBe('₹40 Cr');
    });
    test.each([
      ['a count whose noun does not follow it', 'Nykaa to set up five Ashra wellness centres', 'strategy', '5 centres'],
      ['a count joined to its noun', 'Nykaa begins 100-city expansion', 'strategy', '100 cities'],
      ['a scaled count', 'Nykaa completed 2.5 million jobs in March', 'other', '2.5 Mn jobs'],
      ['a share price and its cause', 'Nykaa gains over 6% after foreign holding falls under 48%', 'strategy', '48%'],
      ['a store network', 'Nykaa takes India store network to 31', 'stores', '31 stores'],
      ['a part of a whole', 'One in five Nykaa orders now a combo', 'other', undefined],
    ] as const)('given %s, then "%s" has the delta of %s', (_, title, move, expected) => {
      expect(chooseDelta(read(title), move)?.text).toBe(expected);
    });
    test.each([
      ['deals', 'The promoter cut the stake to 8.5% on Monday.', '8.5%'],
      ['strategy', 'By 2031 its revenue is to reach four times today’s, Rs 7,200 crore.', '₹7,200 Cr'],
      ['strategy', 'Its owners put seventy million dollars into the site.', '$70 Mn'],
      ['strategy', 'It plans to open 35 stores and spend Rs 22 crore.', '35 stores'],
      ['strategy', 'It serves 3.1 crore corner shops, and spent Rs 44 crore on them.', '₹44 Cr'],
      ['results', 'The margin declined 80 basis points.', '80 bps'],
    ] as const)('given a figure of %s that only the summary has, "%s", then it is %s', (move, summary, expected) => {
      expect(chooseDelta(read('Zepto makes news', summary), move)?.text).toBe(expected);
    });
    test('given no figure, then there is no delta', () => {
      expect(chooseDelta(read('Nykaa unveils skincare range'), 'launches')).toBeNull();
    });
  });

  describe('people', () => {
    test.each([
      ['Trent Appoints Sanjana Rao as New MD and CEO', [['Sanjana Rao', 'joined', 'MD and CEO']]],
      ['Trent Elevates Arun Mehta to Managing Director', [['Arun Mehta', 'promoted', 'Managing Director']]],
      [
        'Nykaa COO Ankit Shah, CBO Hari Verma quit amid rejig',
        [
          ['Ankit Shah', 'left', 'COO'],
          ['Hari Verma', 'left', 'CBO'],
        ],
      ],
      ['Hari Verma steps down as Zepto CEO', [['Hari Verma', 'left', 'CEO']]],
      ['Nykaa strengthens growth with new stores', []],
      // How a person is addressed, how long a seat is held and who decides are no part of either.
      ['Trent names Ms Sanjana Rao CEO', [['Sanjana Rao', 'joined', 'CEO']]],
      ['Trent appoints Dr. Sanjana Rao as CEO for three years', [['Sanjana Rao', 'joined', 'CEO']]],
      ['Arun Mehta steps back as Trent COO', [['Arun Mehta', 'left', 'COO']]],
      [
        'Trent appoints Sanjana Rao as CEO designate, Arun Mehta to step down in March',
        [
          ['Sanjana Rao', 'joined', 'CEO designate'],
          ['Arun Mehta', 'left', 'CEO'],
        ],
      ],
      ['Trent denies that Arun Mehta quits as COO', []],
    ])('given "%s", then they are %j', (title, expected) => {
      const people = readPeople(read(title), title.includes('Zepto') ? 'Zepto' : 'Trent');
      expect(people.map(({ person, direction, role }) => [person, direction, role])).toEqual(expected);
    });
    test('given a summary, then who leaves and from when is read too', () => {
      const people = readPeople(
        read(
          'Trent appoints Sanjana Rao as CEO',
          'Rao takes over effective from 24 August 2026. She replaces Gautam Shah.',
        ),
        'Trent',
      );
      expect(people).toMatchObject([{ person: 'Sanjana Rao' }, { person: 'Gautam Shah', direction: 'left' }]);
    });
    test.each([
      ['Trent on Monday named Sanjana Rao as CEO', null],
      ['Trent appoints Sanjana Rao as CEO with effect from 1 August', '2026-08-01'],
      ['Sanjana Rao to take charge as Trent CEO on 3 August', '2026-08-03'],
      ['Arun Mehta steps down as CEO; Sanjana Rao to join as CEO from 3 August', null],
    ])('given "%s", then the first person moves on %s', (title, expected) => {
      const [first] = readPeople(read(title), 'Trent');
      expect(first).toMatchObject({ effective: expected });
    });
  });

  describe('deals', () => {
    test.each([
      ['Munchly Raises Rs 18 Cr, Eyes IPO in Two Years', 'funding', '₹18 Cr'],
      ['Munchly Files DRHP for Rs 900 Cr IPO', 'ipo', '₹900 Cr'],
      ['Dairy startup Munchly picks up $14 million in Series A funding', 'funding', '$14 Mn'],
      ['Munchly promoter sells stake in Rs 210 crore block deal', 'stake_sale', '₹210 Cr'],
      ['Munchly to form joint venture with Oatsy', 'jv', null],
    ])('given "%s", then it is %s of %s', (title, type, amount) => {
      expect(readDeal(read(title), named('Munchly'))).toMatchObject({ type, amount, target: 'Munchly' });
    });
    test('given an acquisition, then the first company is the buyer and the second the target', () => {
      expect(readDeal(read('Nykaa acquires Dermelle'), named('Nykaa', 'Dermelle'))).toEqual({
        type: 'acquisition',
        amount: null,
        target: 'Dermelle',
        buyers: ['Nykaa'],
        status: 'completed',
      });
    });
    test.each([
      ['Oatsy acquired by Munchly in Rs 90 crore deal', 'acquisition', 'Oatsy', ['Munchly'], 'completed'],
      ['Munchly in talks to buy Oatsy', 'acquisition', 'Oatsy', ['Munchly'], 'rumoured'],
      ['Munchly to acquire Oatsy', 'acquisition', 'Oatsy', ['Munchly'], 'agreed'],
      ["Munchly to buy Oatsy's biscuit plant", 'acquisition', "Oatsy's biscuit plant", ['Munchly'], 'agreed'],
      ['Munchly buys 12% stake in Oatsy', 'stake_sale', 'Oatsy', ['Munchly'], 'completed'],
      ['Munchly raises stake in Oatsy to 74%', 'acquisition', 'Oatsy', ['Munchly'], 'completed'],
      ['Munchly acquires majority stake in Oatsy', 'acquisition', 'Oatsy', ['Munchly'], 'completed'],
      ['Oatsy joins Munchly portfolio after majority stake deal', 'acquisition', 'Oatsy', ['Munchly'], null],
      ['Munchly makes an acquisition', 'acquisition', null, [], null],
      ['Munchly acquires bakery chain', 'acquisition', null, ['Munchly'], 'completed'],
      ['Munchly raises Rs 40 crore from Oatsy', 'funding', 'Munchly', ['Oatsy'], 'completed'],
      ['Munchly delays IPO, to raise Rs 40 crore in pre-IPO round', 'funding', 'Munchly', [], 'agreed'],
      ['Munchly files DRHP for Rs 900 crore IPO', 'ipo', 'Munchly', [], null],
      ['Munchly gets SEBI nod for Rs 900 crore IPO', 'ipo', 'Munchly', [], null],
      ['Munchly makes debut on BSE after Rs 900 crore IPO', 'ipo', 'Munchly', [], 'completed'],
      ['Munchly in race to buy Oatsy', 'acquisition', 'Oatsy', ['Munchly'], 'rumoured'],
    ])('given "%s", then it is %s of %j by %j, %s', (title, type, target, buyers, status) => {
      const order = title.indexOf('Oatsy') < title.indexOf('Munchly') ? ['Oatsy', 'Munchly'] : ['Munchly', 'Oatsy'];
      const brands = named(...order.filter((name) => title.includes(name)));
      expect(readDeal(read(title), brands)).toMatchObject({ type, target, buyers, status });
    });
    test('given a headline that buys and a summary that is acquiring, then it is agreed', () => {
      const reading = read('Munchly buys Oatsy', 'Munchly is acquiring Oatsy for Rs 90 crore.');
      expect(readDeal(reading, named('Munchly', 'Oatsy'))?.status).toBe('agreed');
    });
    test.each([
      ['The snack maker is raising Rs 90 crore in a round that goes on.', 'agreed'],
      ['The snack maker has raised Rs 90 crore from Kestrel Capital.', 'completed'],
    ])('given a headline that raises, and the summary "%s", then it is %s', (summary, status) => {
      expect(readDeal(read('Munchly raises Rs 90 crore', summary), named('Munchly'))?.status).toBe(status);
    });
    test.each([
      ['Munchly eyes Rs 900 crore valuation in new round', null],
      ['Munchly valued at $40 million in funding round', null],
      ['Munchly with revenue of Rs 90 crore raises funds', null],
      ['Munchly raises $4 million at $40 million valuation', '$4 Mn'],
      ['Munchly IPO delayed; shoes priced at Rs 4,999', null],
    ])('given "%s", then its amount is %j', (title, amount) => {
      expect(readDeal(read(title), named('Munchly'))).toMatchObject({ amount });
    });
    test.each(['Peak XV closes Rs 2,000 crore fund', "Munchly's acquired brands grow 40%"])(
      'given "%s", then there is no deal',
      (title) => {
        expect(readDeal(read(title), named('Munchly'))).toBeNull();
      },
    );
    test.each([
      ['Peak XV offloads Munchly shares worth Rs 80 crore', '₹80 Cr'],
      ['Munchly ownership changes as Peak XV cuts stake, a fund buys more', null],
    ])('given an investor that sells, in "%s", then it is no buyer', (title, amount) => {
      const company = named('Munchly');
      const investor = { ...brandRef('peak-xv', 'Peak XV', 'secondary'), written: 'Peak XV' };
      const deal = readDeal(read(title), [...company, investor]);
      expect(deal).toMatchObject({ type: 'stake_sale', amount, target: 'Munchly', buyers: [] });
    });
  });

  describe('theme and facts', () => {
    test('given words of a theme, then it is that theme', () => {
      expect(chooseTheme(read('Zepto adds dark stores'), [], smallCatalogue)?.slug).toBe('quick-commerce');
      expect(chooseTheme(read('Nothing of note'), [], smallCatalogue)).toBeNull();
    });
    test('given a single word of a theme, then it is none without another sign', () => {
      const one = read('Munchly, a skincare label, moves its office');
      expect(chooseTheme(one, [], smallCatalogue)).toBeNull();
      expect(chooseTheme(one, ['beauty'], smallCatalogue)?.slug).toBe('beauty');
    });
    test('given a word of the headline for what is sold, then it is enough, and one of the summary is not', async () => {
      const shipped = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
      const themed = (title: string, summary = '') => chooseTheme(read(title, summary), [], shipped)?.slug ?? null;
      expect(themed('Munchly Expands Range with Teja Cleanser')).toBe('beauty');
      expect(themed('Munchly names a head', 'He sold a cleanser.')).toBeNull();
      expect(themed('Munchly CEO speaks')).toBeNull();
    });
    test.each([
      ['deals', 'Munchly to raise Rs 80 crore through IPO of its unit', 'IPO'],
      ['deals', 'Munchly raising $50 million in fresh equity', 'Funding'],
      ['deals', 'Kiri, Munchly lead race for Red Elephant', 'Acquisition'],
      ['deals', 'Kiri plans exit from Munchly after seven years', 'Stake sale'],
      ['deals', 'Munchly in a deal', 'Deal'],
      ['stores', 'Munchly Eyes 705 Stores by FY2030', 'Store plans'],
      ['stores', 'Munchly Set to Enter Pune with Lakeside Mall Store', 'Store plans'],
      ['strategy', 'Munchly Announces Manufacturing Partnership with Kiri', 'Partnership'],
      ['strategy', 'Munchly to invest Rs 2,000 crore in Pune', 'Investment'],
      ['strategy', 'Munchly to bring Danish label Kiri to India', 'Market entry'],
      ['strategy', 'Munchly cuts permanent employee count by 8%', 'Layoffs'],
      ['launches', 'Munchly turns 13 with a brand film', 'Campaign'],
      ['results', 'Munchly targets 20% revenue growth in FY27', 'Guidance'],
      ['results', 'Munchly crosses Rs 50 Cr ARR', 'Business update'],
      ['rules', 'Creditors start bankruptcy proceedings against Munchly', 'Court case'],
      ['rules', 'Adviser flags GST model of Munchly, seeks Sebi scrutiny', 'Notice'],
      ['results', 'One in five Munchly orders is a combo', 'Business update'],
      ['results', 'Munchly reports muted Q1FY27 results', 'Quarterly results'],
      ['stores', 'Munchly to slash presence by half to 40 cities', 'Store closure'],
      ['strategy', 'Munchly rebrands and plans 50 cafes', 'Rebranding'],
      ['other', 'Tea market triples to ₹1,000 crore in 5 years', 'Industry data'],
    ] as const)('given a move of %s, when its headline is "%s", then it is labelled %s', (move, headline, label) => {
      expect(labelMove({ move, headline, deal: null, people: [], openings: [] })).toBe(label);
    });
    test('given a brand whose name has the word of a label, then the word says nothing of the move', () => {
      const headline = 'Munchly Factory bets on small towns';
      const brands = [brandRef('munchly-factory', 'Munchly Factory')];
      const story = { move: 'strategy' as const, headline, deal: null, people: [], openings: [] };
      expect([labelMove(story), labelMove({ ...story, brands })]).toEqual(['Investment', 'Strategy']);
    });
    test('given a figure that was reported, then what the headline expects besides is no label', () => {
      const result = { company: 'Munchly', period: 'Q1 FY27', metric: 'profit', value: null, growth_pct: 52 };
      const headline = 'Munchly Q1 profit jumps 52%, eyes expansion';
      const story = { move: 'results' as const, headline, deal: null, people: [], openings: [] };
      expect([labelMove(story), labelMove({ ...story, result })]).toEqual(['Guidance', 'Quarterly results']);
    });
    test.each([
      [null, 'Expansion'],
      ['Pune', 'Store opening'],
    ])('given a chain that reaches a number of stores, in %s, then it is %s', (city, label) => {
      const openings = [opening({ brand: 'Munchly', city, stores: null })];
      const headline = 'Munchly crosses 2,000 stores';
      expect(labelMove({ move: 'stores', headline, deal: null, people: [], openings })).toBe(label);
    });
    test('given the kind of move that a theme is for, then it decides before a word of another theme', () => {
      const item = read('Munchly names Arun Mehta CFO', 'He sold skincare before.');
      const story = { move: 'people', kind: 'Appointment' } as const;
      expect(chooseTheme(item, [], smallCatalogue, story)?.slug).toBe('leadership');
      expect(chooseTheme(item, [], smallCatalogue)).toBeNull();
    });
    test('given labels that a theme is for, then no other label puts a story under it', async () => {
      const shipped = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
      const deal = read('Munchly signs a deal');
      const themed = (kind: string) => chooseTheme(deal, [], shipped, { move: 'deals', kind })?.slug;
      expect(['IPO', 'Funding', 'Stake sale', 'Deal'].map(themed)).toEqual([
        'listings',
        'startup-funding',
        'mergers-and-acquisitions',
        undefined,
      ]);
    });
    test('given a summary, then its sentences are kept verbatim, except a truncated one', () => {
      const text = 'Rs. 40 crore will go into the plant. It opens on the first of May. The rest of the long sen…';
      expect(readKeySentences('A headline', text).key_facts).toEqual([
        'Rs. 40 crore will go into the plant.',
        'It opens on the first of May.',
      ]);
    });
    test.each([
      'Trent has opened its fourteenth Zudio store in Surat and plans to…',
      'Trent has opened its fourteenth Zudio store in Surat and plans to...',
      'Trent has opened its fourteenth Zudio store in Surat',
    ])('given only the excerpt %j, then it is the deck unchanged, and there are no facts', (text) => {
      expect(readKeySentences('A headline', text)).toEqual({ deck: text, summary: text, key_facts: [] });
    });
    test.each([
      ['the sentence about the event, not the scene', 'Snacking rarely rewards newcomers.'],
      ['the sentence about the event, not a quotation', '“India is short of good value fashion.'],
      ['no caption', 'Representational image of a store in Surat.'],
      ['no one on a picture', 'Asha Rao (left) opens a Zudio store in Surat.'],
      ['no past of a person', 'In her previous role, Rao worked on the plans of Zudio stores in Gujarat.'],
      ['no past of a company', 'Founded in 2016, Zudio plans stores of its own.'],
      ['not what goes on besides', 'The plan of Zudio stores comes amid a slowdown.'],
      ['no speech without its marks', 'We plan our Zudio stores with care in Gujarat.'],
      ['without the dateline of an agency', 'BIZ-TRENT 07:27 PM, 14 Jul 2026 372 Words Surat, Jul 14 (PTI)'],
      ['not the headline again', 'Trent plans Zudio stores for Gujarat.'],
      ['not the headline before it', 'Trent plans Zudio stores in Gujarat'],
    ])('given a text, then its summary is %s', (_, before) => {
      const text = `${before} ${EVENT}`;
      const { summary, key_facts } = readKeySentences('Trent plans Zudio stores in Gujarat', text);
      expect(summary).toBe(EVENT);
      expect(key_facts).toContain(summary);
    });
    test('given marks of emphasis, then the summary is without them', () => {
      const marked = EVENT.replace('40 Zudio stores', '**40 Zudio stores**');
      expect(readKeySentences('Trent plans Zudio stores in Gujarat', marked).summary).toBe(EVENT);
    });
    test.each([
      ['Trent names Asha Rao head of Zudio', 'Rao brings over 20 years of experience.', null],
      ['Trent plans stores', EVENT.replace('March.', 'the'), EVENT.replace('March.', 'the…')],
    ])('given background, or a sentence cut without a mark, below "%s"', (title, text, summary) => {
      expect(readKeySentences(title, text).summary).toBe(summary);
    });
    test('given nothing but a caption or the headline, then there is no summary', () => {
      for (const text of ['File photo of a Zudio store in Surat.', 'Trent plans Zudio stores in Gujarat.'])
        expect(readKeySentences('Trent plans Zudio stores in Gujarat', text)).toEqual({
          deck: null,
          summary: null,
          key_facts: [],
        });
    });
    test('given a complete sentence before a truncated one, then the complete one is the deck', () => {
      expect(readKeySentences('A headline', 'Trent has opened a Zudio in Surat. It plans…').deck).toBe(
        'Trent has opened a Zudio in Surat.',
      );
    });
  });
});

describe('roles and former employers', () => {
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
    ])('given "%s", then it is %j', (text, role) => {
      expect(findRole(text, 'Arun Mehta')).toBe(role);
    });
  });

  describe('who comes and who goes', () => {
    const movesIn = (title: string, company: string | null, companies: readonly string[] = company ? [company] : []) =>
      readPeople(readItem(itemOf(title, null), smallCatalogue), company, companies).map(
        ({ person, company: at, role, direction, from }) =>
          `${person}, ${role ?? 'no seat'}, ${direction} ${at ?? 'nobody'}${from ? ` from ${from}` : ''}`,
      );
    test.each([
      ['Trent Strengthens Leadership with Arun Mehta as CEO', ['Arun Mehta, CEO, joined Trent']],
      ['Trent brings Arun Mehta on board as CIO', ['Arun Mehta, CIO, joined Trent']],
      [
        'Trent Names Arun Mehta Commercial Director as It Adds Stores',
        ['Arun Mehta, Commercial Director, joined Trent'],
      ],
      ['Trent hires Arun Mehta to lead growth as rivals expand', ['Arun Mehta, no seat, joined Trent']],
      ['Trent names former Nykaa chief Arun Mehta as CEO', ['Arun Mehta, CEO, joined Trent from Nykaa']],
      ['Ex-Nykaa Exec Arun Mehta Joins Trent As Cofounder', ['Arun Mehta, Cofounder, joined Trent from Nykaa']],
      ['Arun Mehta to succeed Ravi Kapoor as Trent CEO', ['Arun Mehta', 'Ravi Kapoor']],
      ["Trent's COO Arun Mehta steps down", ['Arun Mehta, COO, left Trent']],
      ['Trent appoints actor Arun Mehta as brand ambassador', []],
      ['Trent elevates Arun Mehta as COO amid rejig', ['Arun Mehta, COO, promoted Trent']],
    ])('given "%s", then %j', (title, expected) => {
      const moves = movesIn(title, 'Trent', ['Trent', 'Nykaa']);
      expect(moves).toHaveLength(expected.length);
      for (const [index, move] of expected.entries()) expect(moves.join('; ')).toContain(move || moves[index]);
    });
    test('given no company, then nobody is said to leave', () => {
      expect(movesIn('Arun Mehta steps down', null)).toEqual([]);
    });
    test('given the name of a company, then it is no person', () => {
      expect(movesIn('Trent names Zivame Lounge', 'Trent', ['Trent', 'Zivame Lounge'])).toEqual([]);
    });
  });

  describe('former employers', () => {
    test.each([
      ["Trent ropes in Taco Bell's Arun Mehta as CMO", 'Taco Bell'],
      ['Trent hires Arun Mehta from Zepto to be its CMO', 'Zepto'],
      ['Former Zepto executive Arun Mehta to lead Trent', 'Zepto'],
      ['Trent names Arun Mehta CFO from December', null],
      ['Trent names Arun Mehta CFO', null],
    ])('given "%s", then it is %j', (text, employer) => {
      expect(findFormerEmployer(text, 'Arun Mehta')).toBe(employer);
    });
  });

  describe('people of two companies', () => {
    const peopleIn = (title: string, summary: string | null = null) =>
      readPeople(readItem(itemOf(title, summary), smallCatalogue), 'Zepto', ['Zepto', 'Trent']);

    test.each([
      ['Zepto COO Arun Mehta joins Trent as CEO', { company: 'Trent', from: 'Zepto', role: 'CEO' }],
      ['Arun Mehta moves from Zepto to Trent as CEO', { company: 'Trent', from: 'Zepto', role: 'CEO' }],
      ["Zepto taps Trent's Arun Mehta as CEO", { company: 'Zepto', from: 'Trent', role: 'CEO' }],
      ['Zepto insider Arun Mehta becomes CEO', { company: 'Zepto', from: null, direction: 'promoted' }],
      ['Zepto gets new finance chief in Arun Mehta', { company: 'Zepto', role: 'finance chief' }],
      ['Arun Mehta quits as chief executive of Zepto', { role: 'chief executive', direction: 'left' }],
    ])('given "%s", then it is %j', (title, expected) => {
      expect(peopleIn(title)).toMatchObject([{ person: 'Arun Mehta', ...expected }]);
    });

    test.each([
      ['Zepto has promoted Arun Mehta as Chief Operating Officer.', 'promoted'],
      ['Zepto has appointed Arun Mehta as Chief Operating Officer.', 'joined'],
      ['Zepto has promoted Vivek Nair as Chief Technology Officer.', 'joined'],
    ])('given somebody who takes charge, and the summary "%s", then the person is %s', (summary, direction) => {
      const people = peopleIn('Arun Mehta Takes Charge as Chief Operating Officer at Zepto', summary);
      expect(people[0]).toMatchObject({ person: 'Arun Mehta', role: 'Chief Operating Officer', direction });
    });
    test('given a role that only the summary names, then it is read', () => {
      expect(peopleIn('Zepto picks Arun Mehta', 'Zepto has appointed Arun Mehta as CFO.')).toMatchObject([
        { role: 'CFO' },
      ]);
    });
  });
});
