/**
 * Openings and people as news words them, each statement in several ways. Every wording must give the right fact or none,
 * never a wrong one. All statements are invented; companies and places are those of the shipped catalogue.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { understandItem } from '../../../ingest/understand/understand-item.ts';
import { statementsOf } from '../../harness/cases.ts';
import { itemOf } from './small-catalogue.ts';

let catalogue: PreparedCatalogue;
beforeAll(async () => {
  catalogue = prepareCatalogue(await loadCatalogue(new URL('../../../deploy/catalogue', import.meta.url).pathname));
});

/** `brand|city|stores|status`, `-` for an unknown count; a summary follows two colons. */
const OPENINGS = statementsOf(`
Chumbak|Indore|1|opened → Chumbak opens its first store in Indore / Indore gets its first Chumbak store /
  Chumbak makes Indore debut with first outlet
Mokobara|Lucknow|1|opened → Mokobara inaugurates its 41st outlet in Lucknow /
  Mokobara enters Lucknow with its 41st store
Third Wave Coffee|Jaipur|1|opened → Third Wave Coffee Enters Jaipur With C-Scheme Cafe /
  Third Wave Coffee opens café at C-Scheme, Jaipur
Lenskart|Bengaluru|1|opened → Lenskart opens flagship in Koramangala / Lenskart unveils Koramangala flagship store
Westside|Nagpur|1|closed → Westside shuts its Nagpur store / Westside to shut Nagpur store by month-end
Miraggio|Kochi|1|opened → Miraggio opens boutique at Lulu Mall Kochi / Lulu Mall Kochi welcomes Miraggio boutique
Zudio||12|opened → Zudio opens 12 stores in a month / Zudio opened a dozen stores last month
GIVA|Hyderabad|3|opened → GIVA opens three stores in Hyderabad / GIVA adds three Hyderabad stores
BlueStone||20|planned → BlueStone to open 20 stores by March / BlueStone lines up 20 store openings
Burger Singh||100|planned → Burger Singh aims to add 100 outlets by 2027 / Burger Singh eyes 100 new outlets
V-Mart||50|planned → V-Mart to open around 50 stores in FY27, says CFO / V-Mart guides for 50 store additions in FY27
Barista|Surat|2|planned → Barista to open two cafes in Surat / Barista plans two Surat cafes
IKEA|Chennai|-|planned → IKEA to open Chennai store next year / IKEA eyes Chennai for its next store
Shoppers Stop||30|closed → Shoppers Stop to shut 30 stores / Shoppers Stop to close 30 loss-making outlets
Bikanervala||-|opened → Bikanervala reaches 170 stores / Bikanervala crosses 170-outlet mark
Kushal's||-|opened → Kushal’s store count touches 100 / Kushal’s now has 100 stores across India
Wow! Momo||-|opened → Wow! Momo hits 800 outlets in 80 cities / Wow! Momo network grows to 800 stores
Titan Eye|Patna|1|opened → Titan Eye+ opens Patna store, takes count to 900 / Titan Eye+ adds Patna store, its 900th
nothing → Haldiram’s opens Rs 400 crore plant in Nagpur / Haldiram’s inaugurates new factory in Nagpur
nothing → Delhivery opens 3 lakh sq ft warehouse in Bhiwandi / Flipkart opens fulfilment centre in Hubballi /
  Amazon India sets up 12 new warehouses ahead of Diwali
nothing → Boat enters smart ring category / Boat forays into smart rings
nothing → PVR Inox adds 40 screens in Q2 / PVR Inox to run ads on all 1,700 screens
nothing → Bisleri expands reach to 8 lakh points of sale / Bisleri now sold at 8 lakh outlets
nothing → Zepto gets FSSAI licence for 12 warehouses / Swiggy receives licence to run drone deliveries /
  Diageo bags licence for 20 liquor vends
nothing → Uniqlo opens design studio in Bengaluru / Myntra opens tech office in Bengaluru
nothing → Titan opens two stores in Dubai / Tanishq enters Singapore with flagship store
nothing → Nykaa opens applications for its accelerator / Nykaa opens doors to IPO investors /
  Nykaa opens new chapter with men’s grooming range
nothing → Mamaearth enters modern trade with 5,000 outlets / Mamaearth now available in 5,000 stores
nothing → Dabur enters premium skincare / Dabur enters Rs 1,000 crore club /
  Dabur enters Gen Z market with new toothpaste
nothing → Tanishq launches wedding collection at its Mumbai store / Tanishq hosts bridal show at Delhi flagship
nothing → Taneira unveils store design for tier-two cities / Taneira to renovate older stores
nothing → Blinkit sees robbery at Pune dark store / FDA raids Zepto dark store in Pune
Kalyan Jewellers|Ranchi|1|opened → Kalyan Jewellers opens showroom in Ranchi /
  Kalyan Jewellers inaugurates showroom at Main Road, Ranchi
Bombay Shaving Company||1|opened → Bombay Shaving Company opens first offline store /
  Bombay Shaving Company unveils its first exclusive outlet
Uniqlo|Mumbai|1|opened → Uniqlo opens store in Bandra / Uniqlo opens new outlet at Linking Road, Mumbai /
  Uniqlo opens store at Phoenix Palladium
H&M|Gurugram|1|opened → H&M opens store at Ambience Mall Gurugram / H&M opens new Gurgaon outlet
Starbucks|Delhi|-|opened + Starbucks|Pune|-|opened → Starbucks opens stores in Delhi and Pune /
  Starbucks opens one store each in Delhi and Pune
Tira|Noida|1|opened → Tira opens beauty store at DLF Mall of India / Tira sets up shop in Noida
Chumbak||40|planned → 
  Chumbak bets on small towns for next leg of growth :: The Bengaluru-based company plans to open 40 stores over the next 18 months. /
  Why Chumbak is going back to malls :: Chumbak, based in Bengaluru, will add 40 stores by 2027. /
  Chumbak posts first annual profit :: It also plans to add 40 outlets in the year, its CEO said in Mumbai.
GIVA|Kota|1|opened → GIVA opens new store :: GIVA has opened a store in Kota. /
  GIVA grows offline with new outlet :: The outlet in Kota is spread over 900 sq ft.
Zouk||1|opened → Zouk opens new flagship :: The Mumbai-based brand said the shop has a cafe. /
  Zouk launches new store :: MUMBAI: Zouk said it had opened a store.
nothing → Nykaa profit rises 20% in Q2 :: The beauty retailer runs 250 stores in 80 cities. /
  Nykaa Q2 revenue up :: It has opened more than 250 stores since 2015.
nothing → Swiggy trims losses in Q2 :: Instamart ended the quarter with 1,100 dark stores. /
  Swiggy loss narrows :: Its dark store count stood at 1,100.
`);

/** `person|direction|seat|company`, with the employer before. */
const PEOPLE = statementsOf(`
Rhea Kulkarni|joined|CFO|Nykaa → Nykaa appoints Rhea Kulkarni as CFO /
  Nykaa ropes in Rhea Kulkarni as CFO, shares rise 2%
Rhea Kulkarni|joined|Chief Financial Officer|Nykaa → Rhea Kulkarni appointed Chief Financial Officer of Nykaa /
  Nykaa hires Rhea Kulkarni as Chief Financial Officer after exit of predecessor
Arvind Salvi|left|CEO|Zepto → Arvind Salvi steps down as Zepto CEO /
  Zepto CEO Arvind Salvi quits days after funding round
Arvind Salvi|left|COO|Swiggy → Swiggy COO Arvind Salvi moves on / Swiggy loses its COO Arvind Salvi
Meera Joglekar|promoted|Managing Director|Dabur → Dabur elevates Meera Joglekar to Managing Director /
  Meera Joglekar elevated as Managing Director of Dabur
Karan Bedi Rao|joined|Chairman|Trent + Sunil Wagh|left|Chairman|Trent → 
  Trent appoints Karan Bedi Rao as Chairman, succeeding Sunil Wagh /
  Trent names Karan Bedi Rao Chairman, replacing Sunil Wagh
Divya Rangan|joined|CEO|Oziva → HUL appoints Divya Rangan as OZiva CEO /
  Hindustan Unilever names Divya Rangan as CEO of OZiva
Nitin Bhosle|joined|Head of Marketing and Brand|Lenskart → Lenskart names Nitin Bhosle as Head of Marketing and Brand /
  Lenskart appoints Nitin Bhosle Head of Marketing and Brand
Nitin Bhosle|joined|CEO|Bata India <- Puma → Bata India appoints ex-Puma executive Nitin Bhosle as CEO /
  Puma’s Nitin Bhosle joins Bata India as CEO
Pooja Hegde Menon|left|Chairperson|Voltas → Pooja Hegde Menon announces exit as Voltas Chairperson at AGM /
  Voltas Chairperson Pooja Hegde Menon to retire
Ashok Tandon|joined|independent director|Marico → Marico inducts Ashok Tandon on board as independent director /
  Ashok Tandon joins Marico as independent director
nothing → Tanishq signs Isha Kothari as brand ambassador / Isha Kothari is the new face of Tanishq
Vivek Sahni|left|MD|Asian Paints + Anil Prabhu|left|CFO|Asian Paints → Asian Paints MD Vivek Sahni, CFO Anil Prabhu quit /
  Asian Paints MD Vivek Sahni and CFO Anil Prabhu resign
Kabir Anand|joined|CEO|Croma → Croma gets new CEO in Kabir Anand / Kabir Anand takes charge as Croma CEO
Leela Mathew|joined|CMO|Myntra <- Flipkart → Leela Mathew moves from Flipkart to Myntra as CMO /
  Former Flipkart executive Leela Mathew joins Myntra as CMO
nothing → Nykaa names new store after Rhea Kulkarni / Nykaa founder Falguni Nayar says demand is strong /
  Rhea Kulkarni sells stake in Nykaa
nothing → Trent Appoints Grant Thornton as Auditor / Zepto hires Morgan Stanley and Axis Capital for IPO
nothing → Marico taps Kirana Stores for premium push / Marico joins Hands with Tata Power /
  Titan exits Favre Leuba Business
nothing → Reliance Retail exits Dunzo / Future Group leaves Big Bazaar brand behind /
  Naspers quits Swiggy with block deal
Sana Irani|joined|CEO of Home Division|Interio by Godrej → Godrej Interio appoints Sana Irani as CEO of Home Division /
  Godrej Interio names Sana Irani CEO of its Home Division
Sana Irani|joined|VP, Marketing|Meesho → Meesho appoints Sana Irani as VP, Marketing /
  Meesho names Sana Irani VP, Marketing
Sana Irani|joined|President of Core Business|Metro Brands → Metro Brands names Sana Irani President of Core Business /
  Metro Brands appoints Sana Irani as President of Core Business
Om Deshpande|left|CTO|Blinkit → Om Deshpande, CTO of Blinkit, steps down /
  Blinkit CTO Om Deshpande puts in papers, cites personal reasons
`);

const understand = (wording: string) => {
  const [title = '', summary = null] = wording.split(' :: ');
  const { understanding, written } = understandItem(itemOf(title, summary), catalogue);
  const names = new Map(understanding.brands.map(({ name, slug }) => [name, written[slug] ?? name]));
  return { ...understanding, asWritten: (name: string) => names.get(name) ?? name };
};

const openingsIn = (wording: string): string[] => {
  const { openings, asWritten } = understand(wording);
  return openings.map(({ brand, city, stores, status }) =>
    [asWritten(brand), city ?? '', stores ?? '-', status === 'announced' ? 'planned' : status].join('|'),
  );
};

const peopleIn = (wording: string): string[] =>
  understand(wording).people.map(
    ({ person, direction, role, company, from }) =>
      `${[person, direction, role ?? '', company ?? ''].join('|')}${from ? ` <- ${from}` : ''}`,
  );

/** Of the wordings that state a fact, how many give it at least. */
const MIN_FOUND = 0.9;

describe.each([
  ['openings', OPENINGS, openingsIn],
  ['people', PEOPLE, peopleIn],
] as const)('%s', (_, statements, read) => {
  const wordings = statements.flatMap(({ facts, wordings: all }) => all.map((wording) => ({ facts, wording })));

  it.each(wordings)('given $wording, then it is $facts or nothing', ({ facts, wording }) => {
    const found = read(wording);
    if (found.length > 0) expect(found).toEqual(facts);
  });

  it('given all wordings of a fact, then nearly all give it', () => {
    const stated = wordings.filter(({ facts }) => facts.length > 0);
    const missed = stated.filter(({ wording }) => read(wording).length === 0);
    expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(stated.length * (1 - MIN_FOUND));
  });
});
