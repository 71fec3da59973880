/** Whom headlines of many forms are about, with the shipped catalogue. Every headline is invented. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { readSubjects } from '../../../facts/text/headline-subject.ts';
import { readItem } from '../../../facts/text/item-reading.ts';
import { toNamedBrand, toProvisional } from '../../../ingest/understand/brand-candidates.ts';
import { checkNames, findBrands } from '../../../ingest/understand/brands.ts';
import { itemOf } from './small-catalogue.ts';

let catalogue: PreparedCatalogue;
beforeAll(async () => {
  catalogue = prepareCatalogue(await loadCatalogue(new URL('../../../deploy/catalogue', import.meta.url).pathname));
});

/** Primary brands as the headline writes them; a question mark marks a name that the catalogue lacks. */
const primaryIn = (title: string, summary: string | null = null): string[] => {
  const reading = readItem(itemOf(title, summary), catalogue);
  return findBrands(reading, readSubjects(reading.title), catalogue)
    .brands.filter(({ role }) => role === 'primary')
    .map(({ written, provisional }) => `${written}${provisional ? '?' : ''}`);
};

describe('a company and its owner', () => {
  test.each([
    ["Swiggy's Toing opens to all users in Pune", ['Toing', 'Swiggy']],
    ["Trent's Zudio crosses 1,000 stores", ['Zudio', 'Trent']],
    ["Sugar Cosmetics' Asha Rane to stay as chief, firm says", ['Sugar Cosmetics']],
    ["Tata's Zudio crosses 1,000 stores", ['Zudio']],
    ['Walmart-owned Flipkart hires 2,000 seasonal workers', ['Flipkart']],
    ['Trent-funded Munchly opens first store in Pune', ['Munchly?']],
    ['Trent-controlled Munchly revenue falls 24% in FY26', ['Munchly?']],
    ['Reliance-backed Dunzo founder starts kitchen brand', ['Dunzo']],
    ['Marico backed Chefwala Foods raises Rs 20 Cr', ['Chefwala Foods?']],
    ['Samara Capital takes control of Pizza Hut operator Sapphire Foods', ['Samara Capital', 'Sapphire Foods']],
    ["A batsman's one8 opens kiosk in Pune", ['one8']],
    ['Sequoia-backed Kirkiri Foods opens its first kiosk in Surat', ['Kirkiri Foods?']],
    ['Aashirvaad maker ITC to expand atta capacity', ['ITC']],
    ['Mamaearth parent Honasa posts 20% growth in Q1', ['Honasa']],
    ['Mamaearth Parent Honasa Posts 20% Growth In Q1', ['Honasa']],
    ['Mamaearth parent reports higher Q1 profit', ['Honasa Consumer']],
    ['Burger King operator narrows quarterly loss', ['Restaurant Brands Asia']],
    ["Zomato parent Eternal's B2B arm turns profitable", ['Eternal']],
    ['FirstCry parent Brainbees to shut 40 stores', ['Brainbees']],
    ['Westside owner Trent to raise Rs 2,500 crore', ['Trent']],
    ['Domino’s operator Jubilant FoodWorks to add 250 outlets', ['Jubilant FoodWorks']],
    ["Boat cofounder's new snack startup Chivdo raises $2 Mn", ['Chivdo?']],
    ['Nykaa to Bring Luxury Watch Brand Orlova to India', ['Nykaa', 'Orlova?']],
    ['Nykaa Brings VELOURE Chocolate to India', ['Nykaa', 'VELOURE?']],
    ['Marico to acquire Bengaluru-based Crunchly', ['Marico', 'Crunchly?']],
    ['Kalpataru Foods Joins Everwell Portfolio After Majority Stake Deal', ['Kalpataru Foods?', 'Everwell?']],
    ['Aria Foods Opens First FreshHaat Store in Gurugram', ['Aria Foods?', 'FreshHaat?']],
    ['Dabur signs distribution partnership with Medikart', ['Dabur', 'Medikart?']],
    ['Pizza Hut, KFC operator Devyani International to open 100 stores', ['Devyani International']],
    ['Fevicol glue maker Pidilite withdraws plea against tax demand', ['Pidilite']],
    ['Ex-Nykaa executives’ skincare label Dermaglo nets $1 Mn', ['Dermaglo?']],
  ])('given "%s", then it is about %j', (title, expected) => {
    expect(primaryIn(title).sort()).toEqual([...expected].sort());
  });
});

describe('the verb and its objects', () => {
  test.each([
    ['Marico to acquire 60% stake in Chefwala Foods', ['Marico', 'Chefwala Foods?']],
    ['Emami picks up remaining stake in The Man Company', ['Emami', 'The Man Company']],
    ['Pernod Ricard sues Radico Khaitan over bottle design', ['Pernod Ricard', 'Radico Khaitan']],
    ['Dabur moves Delhi High Court against Patanjali over ad', ['Dabur', 'Patanjali']],
    ['Delhi HC restrains Amul from using Haldiram’s trademark', ['Amul', "Haldiram's"]],
    ['CCPA fines Snapdeal Rs 2 lakh for misleading ads', ['Snapdeal']],
    ['FSSAI suspends licence of Zepto warehouse in Pune', ['Zepto']],
    ['Nestle recalls infant cereal batch in India', ['Nestle']],
    ['CCI clears Pidilite’s purchase of a rival', ['Pidilite']],
    ['Marico buys snack chain Murmura Junction', ['Marico', 'Murmura Junction?']],
    ['V-Mart to Acquire Value Chain Kapdewala Bazaari in Rs 90 Cr Deal', ['V-Mart', 'Kapdewala Bazaari?']],
    ['Swiggy appoints new CFO', ['Swiggy']],
    ['Titan names Rakesh Solanki head of eyewear', ['Titan']],
    ['Tata Consumer ropes in Neha Chitnis to lead Starbucks India', ['Tata Consumer', 'Starbucks India']],
    ['Uniqlo partners with Blinkit for one-hour delivery', ['Uniqlo', 'Blinkit']],
    ['Amul ties up with Zomato to sell ice cream', ['Amul', 'Zomato']],
    ['Peak XV sells 2% stake in Honasa Consumer', ['Honasa Consumer']],
    ['KKR acquires majority stake in Mithaas Foods', ['KKR', 'Mithaas Foods?']],
    ['Lenskart invests in smart ring maker Angulika', ['Lenskart', 'Angulika?']],
    ['Actor Ritesh Bhalla launches fragrance brand Attaria', ['Attaria?']],
    ['Cricketer Rohan Shelar invests in protein brand Dumdaar', ['Dumdaar?']],
    ['Aditya Birla Fashion launches ethnic wear brand Rangrasa', ['Aditya Birla Fashion', 'Rangrasa?']],
    ['Shoppers Stop opens Intune store in Kochi', ['Shoppers Stop', 'Intune']],
    ['Phoenix Marketcity Pune welcomes Uniqlo', ['Uniqlo']],
  ])('given "%s", then it is about %j', (title, expected) => {
    expect(primaryIn(title)).toEqual(expect.arrayContaining([...expected]));
    expect(primaryIn(title)).toHaveLength(expected.length);
  });
});

describe('names that the catalogue lacks', () => {
  test.each([
    ['Jhaalmuri & Co Raises Rs 12 Cr In Seed Round', ['Jhaalmuri & Co?']],
    ['BOLD Raises $3 Mn To Make Electric Bikes For Kids', ['BOLD?']],
    ['D2C snacks startup GOOD MONKEY bags Rs 8 crore', ['GOOD MONKEY?']],
    ['Healthy Beverage Brand Slow Sunday Raises ₹20 Cr', ['Slow Sunday?']],
    ['Clay and Cotton Secures Rs 4 Cr From Angels', ['Clay and Cotton?']],
    ['Kapoor & Daughters Opens Third Store In Ludhiana', ['Kapoor & Daughters?']],
    ['Price Wars: Delhi HC Pulls Up Zepto Over Dark Patterns', ['Zepto']],
    ['Festive Rush: Meesho Adds 500 Sellers A Day', ['Meesho']],
    ['India upbeat on exports: Amazon VP Ramesh Tiwari', ['Amazon']],
    ['India a key market for us: L’Oreal CEO Pierre Dumas', ["L'Oreal"]],
    ['Mutual Funds Trim Holdings In Nykaa', ['Nykaa']],
    ['Sebi asks Meesho to refile papers', ['Meesho']],
    ['Bangladesh unit lifts Marico profit', ['Marico']],
    ['Consumer Companies Cut Ad Spends', []],
    ['Geopolitical Tensions Push Up Edible Oil Prices', []],
    ['Retail Inflation Eases To 3% In June', []],
    ['Diwali Sales Rise 12%: CAIT', []],
    ['June Quarter Was Weak For Paint Makers', []],
    ['Textile Exporters Seek Relief From Tariffs', []],
    ['Restaurants Fear Commission Hike', []],
    ['Virendra Kohlapure Steps Down As Bata India CFO', ['Bata India']],
    ['Sunita Rajwade, Chief People Officer Of Nykaa, Resigns', ['Nykaa']],
    ['Tarun Tahiliani Opens Flagship Store In Hyderabad', ['Tarun Tahiliani']],
    ['Kanakdhara Silks Achieves Rs 100 Cr Turnover', ['Kanakdhara Silks?']],
    ['Rasoighar Converts Into Public Company Ahead Of IPO', ['Rasoighar?']],
  ])('given "%s", then it is about %j', (title, expected) => {
    expect(primaryIn(title)).toEqual(expected);
  });
});

describe('the veto of the encoder', () => {
  const title = 'Kirtana Foods and Zudio open a store in Pune';
  const withRoles = (primary: number): string[] => {
    const reading = readItem(itemOf(title), catalogue);
    const roles = reading.title.tokens.map(({ start, end }) => ({ start, end, primary }));
    const { brands } = findBrands(reading, readSubjects(reading.title), catalogue);
    return checkNames(reading.title, brands, roles).map(({ name }) => name);
  };

  test('given words that it takes for no primary brand, then an unknown name is dropped and a known one is kept', () => {
    expect(withRoles(0.9)).toEqual(expect.arrayContaining(['Kirtana Foods', 'Zudio']));
    expect(withRoles(0.1)).toEqual(['Zudio']);
  });

  test('given that it drops the only primary name, then the catalogue brand of the headline is primary', () => {
    const reading = readItem(itemOf('Kirtana Wars reach the doorstep of Zudio'), catalogue);
    const [mention] = reading.title.mentions;
    if (!mention) throw new Error('the catalogue has no Zudio');
    const brands = [
      toProvisional('Kirtana Wars', 'primary', { first: 0, last: 1 }),
      toNamedBrand(reading.title, mention, 'secondary'),
    ];
    const kept = checkNames(reading.title, brands, [{ start: 0, end: 12, primary: 0.1 }]);
    expect(kept.map(({ name, role }) => `${name} ${role}`)).toEqual(['Zudio primary']);
  });
});

describe('a name next to a figure or a comma', () => {
  test.each(['40% Tirvana parent proceeds go to debt', 'After Tirvana, Orvella’s plant in Pune enters a new phase'])(
    'given "%s", then no brand contains it',
    (title) => {
      for (const name of primaryIn(title)) expect(name).not.toMatch(/[%,]/);
    },
  );
});

describe('the country of an outlet', () => {
  test.each(['retaildive.com', 'pymnts.com', 'techcrunch.com'])(
    'given a headline of %s without a tie to India, then it is read as news of another country',
    (host) => {
      const reading = readItem({ ...itemOf('Tirvana opens 40 stores', null), url: `https://www.${host}/a` }, catalogue);
      expect(reading.country).toBe('US');
    },
  );
});
