/** Invented texts of further forms, written after the rules: those that the rules were then improved on, and some kept apart. */
import { about, type CheckedText } from './texts.ts';

export const FURTHER_TEXTS: readonly CheckedText[] = [
  about(
    'Kiri Foods, which runs 120 stores, has hired Sunita Rao to lead its café business, the company said on Monday',
    'Kiri Foods has hired Sunita Rao.',
    'Kiri Foods hired Sunita Rao to lead its café business.',
  ),
  about(
    'Maya Retail store count reaches 200 with new outlet in Surat\nThe Surat outlet spans 6,000 sq ft.',
    "Maya Retail's store count reached 200.",
    'The Surat outlet spans 6,000 sq ft.',
  ),
  about(
    'Tilak Shoes gets ₹14 crore GST notice in Jaipur\nThe company said it would appeal.',
    'Tilak Shoes received a GST notice of ₹14 crore.',
    'Tilak Shoes got a ₹14 crore GST notice in Jaipur.',
  ),
  about(
    'Pallu Capital picks up 11% in Vanya Beauty for ₹70 crore',
    'Pallu Capital acquired 11% of Vanya Beauty for ₹70 crore.',
    'Pallu Capital picked up an 11% stake in Vanya Beauty.',
  ),
  about(
    'Zolo Mart rebrands 40 Orna Sarees stores as Zolo Studio',
    'Zolo Mart rebranded 40 Orna Sarees stores as Zolo Studio.',
    'Zolo Mart has renamed 40 Orna Sarees stores Zolo Studio.',
  ),
  about(
    'Hema Jewels revenue came in at ₹820 crore in Q3, up 21% from a year earlier',
    'Hema Jewels reported revenue of ₹820 crore in Q3.',
    'Revenue of Hema Jewels rose 21% year-on-year in the third quarter.',
  ),
  about(
    'Bodhi Coffee extends tie-up with Suruchi Dairy till 2030',
    'Bodhi Coffee extended its tie-up with Suruchi Dairy.',
    'Bodhi Coffee has extended its tie-up with Suruchi Dairy till 2030.',
  ),
  about(
    'Garuda Partners hikes stake in Lotus Optics to 34%',
    'Garuda Partners raised its stake in Lotus Optics to 34%.',
    'Garuda Partners increased its stake in Lotus Optics.',
  ),
  about(
    'NCLT admits insolvency plea against Noor Watches over ₹31 crore default',
    'The NCLT admitted an insolvency plea against Noor Watches.',
    'The NCLT has admitted an insolvency plea against Noor Watches over a ₹31 crore default.',
  ),
  about(
    'Rasa Snacks IPO subscribed 12 times on final day',
    'The Rasa Snacks IPO was subscribed 12 times on the final day.',
    'The IPO of Rasa Snacks was subscribed 12 times.',
  ),
  about(
    'Orna Sarees shares list at 18% premium on NSE',
    'Orna Sarees shares listed at an 18% premium on the NSE.',
    'Shares of Orna Sarees listed at an 18% premium.',
  ),
  about(
    'Kiri Foods and Bodhi Coffee form joint venture to run cafés at airports',
    'Kiri Foods and Bodhi Coffee formed a joint venture.',
    'Kiri Foods and Bodhi Coffee have formed a joint venture to run cafés at airports.',
  ),
  about(
    'Fire destroys Zolo Mart warehouse in Nagpur; no one hurt',
    'A fire destroyed a Zolo Mart warehouse in Nagpur.',
    'A Zolo Mart warehouse in Nagpur was destroyed by a fire.',
  ),
  about(
    'Crisil upgrades Maya Retail to AA on lower debt',
    'Crisil upgraded Maya Retail to AA.',
    'Maya Retail was upgraded to AA by Crisil on lower debt.',
  ),
  about(
    'Tilak Shoes cuts delivery fee to ₹19 in Pune and Indore',
    'Tilak Shoes reduced its delivery fee to ₹19.',
    'Tilak Shoes has cut its delivery fee to ₹19 in Pune.',
  ),
  about(
    'Suruchi Dairy begins exports of ghee to UAE from Surat plant',
    'Suruchi Dairy began exports of ghee to the UAE.',
    'Suruchi Dairy has started exports of ghee to the UAE from its Surat plant.',
  ),
  about(
    'Vanya Beauty takes store count to 95 after opening three outlets in Kochi',
    'Vanya Beauty opened three outlets in Kochi.',
    'Vanya Beauty took its store count to 95.',
  ),
  about(
    'Lotus Optics chief executive Neha Bose to retire in March; search on for successor',
    'Lotus Optics CEO Neha Bose will retire in March.',
    'Neha Bose, chief executive of Lotus Optics, is set to retire in March.',
  ),
  about(
    'Court orders Noor Watches to pay ₹6 crore to Hema Jewels in trademark case',
    'A court ordered Noor Watches to pay ₹6 crore to Hema Jewels.',
    'Noor Watches was ordered to pay ₹6 crore to Hema Jewels.',
  ),
  about(
    'Q2 results: Rasa Snacks swings to profit of ₹8 crore',
    'Rasa Snacks swung to a profit of ₹8 crore in Q2.',
    'Rasa Snacks swung to a profit in the second quarter.',
  ),
  about(
    'Maya Retail declares dividend of ₹4 a share for FY26',
    'Maya Retail declared a dividend of ₹4 a share.',
    'Maya Retail announced a dividend of ₹4 a share for FY26.',
  ),
  about(
    'Hema Jewels signs actor Tara Menon as brand ambassador',
    'Hema Jewels signed Tara Menon as its brand ambassador.',
    'Hema Jewels has signed actor Tara Menon as brand ambassador.',
  ),
  about(
    'Zolo Mart ends partnership with Suruchi Dairy from April 2027',
    'Zolo Mart ended its partnership with Suruchi Dairy.',
    'Zolo Mart is ending its partnership with Suruchi Dairy from April 2027.',
  ),
  about(
    'Bodhi Coffee closes ₹85 crore Series B, led by Pallu Capital',
    'Bodhi Coffee closed an ₹85 crore Series B led by Pallu Capital.',
    'Pallu Capital led the Series B of Bodhi Coffee.',
  ),
  about(
    'Kiri Foods is present in 32 cities with 210 stores, its annual report shows',
    'Kiri Foods is present in 32 cities.',
    'Kiri Foods is present in 32 cities with 210 stores.',
  ),
  about(
    'Orna Sarees to convert 25 franchise stores into company-owned outlets by FY28',
    'Orna Sarees will convert 25 franchise stores into company-owned outlets.',
    'Orna Sarees plans to convert 25 franchise stores into company-owned outlets by FY28.',
  ),
  about(
    'Workers at Tilak Shoes factory in Chennai call off strike',
    'Workers at the Tilak Shoes factory in Chennai called off their strike.',
    'Workers at a Tilak Shoes factory called off a strike.',
  ),
  about(
    'Vikram Sethi, who led Maya Retail for six years, joins Garuda Partners as adviser',
    'Vikram Sethi joined Garuda Partners as an adviser.',
    'Vikram Sethi led Maya Retail for six years.',
  ),
  about(
    'Noor Watches moves Bombay High Court against Zolo Mart over lookalike dials',
    'Noor Watches moved the Bombay High Court against Zolo Mart.',
    'Noor Watches has moved the Bombay High Court against Zolo Mart over lookalike dials.',
  ),
  about(
    "Suruchi Dairy's revenue from ice cream made up 22% of sales in FY26",
    'Ice cream made up 22% of sales of Suruchi Dairy in FY26.',
    "Suruchi Dairy's revenue from ice cream made up 22% of its sales.",
  ),
  about(
    'Rasa Snacks eyes Southeast Asia entry with Thai partner by 2028',
    'Rasa Snacks is eyeing entry into Southeast Asia by 2028.',
    'Rasa Snacks eyes a Southeast Asia entry with a Thai partner.',
  ),
  about(
    'Lotus Optics allots 4 lakh shares to employees under stock option plan',
    'Lotus Optics allotted 4 lakh shares to employees.',
    'Lotus Optics has allotted 400,000 shares to employees under a stock option plan.',
  ),
  about(
    'Vanya Beauty founder Asha Mehta buys back 5% from Pallu Capital',
    'Asha Mehta bought back 5% from Pallu Capital.',
    'Vanya Beauty founder Asha Mehta has bought back 5% from Pallu Capital.',
  ),
  about(
    'Hema Jewels gold loan book grows to ₹460 crore from ₹300 crore in a year',
    "Hema Jewels' gold loan book grew to ₹460 crore.",
    'The gold loan book of Hema Jewels grew to ₹460 crore from ₹300 crore.',
  ),
  about(
    'Zolo Mart offers 20% discount on first orders in Jaipur till 31 December',
    'Zolo Mart is offering a 20% discount on first orders in Jaipur.',
    'Zolo Mart offers a 20% discount on first orders till 31 December.',
  ),
  about(
    'Maya Retail stake in Noor Watches falls to 41% after share sale',
    "Maya Retail's stake in Noor Watches fell to 41%.",
    'The stake of Maya Retail in Noor Watches fell to 41% after a share sale.',
  ),
  about(
    'Bodhi Coffee leases 12,000 sq ft in Bengaluru for roastery',
    'Bodhi Coffee leased 12,000 sq ft in Bengaluru for a roastery.',
    'Bodhi Coffee has leased 12,000 sq ft in Bengaluru.',
  ),
  about(
    'Exclusive: Kiri Foods puts cold storage arm up for sale',
    'Kiri Foods put its cold storage arm up for sale.',
    'Kiri Foods has put its cold storage arm up for sale.',
  ),
  about(
    'Tilak Shoes sells 3 million pairs in FY26, half of them online',
    'Tilak Shoes sold 3 million pairs in FY26.',
    'In FY26, Tilak Shoes sold 3 million pairs.',
  ),
  about(
    'SEBI gives nod to Rasa Snacks ₹450 crore IPO',
    'SEBI gave its nod to the ₹450 crore IPO of Rasa Snacks.',
    'SEBI has given its nod to a ₹450 crore Rasa Snacks IPO.',
  ),
  about(
    'Orna Sarees will shift its head office from Surat to Pune by June 2027, CFO Ravi Kulkarni said',
    'Orna Sarees will shift its head office from Surat to Pune, CFO Ravi Kulkarni said.',
    'According to CFO Ravi Kulkarni, Orna Sarees will move its head office from Surat to Pune by June 2027.',
  ),
  about(
    'Garuda Partners in talks with Hema Jewels for ₹200 crore investment',
    'Garuda Partners is in talks with Hema Jewels for a ₹200 crore investment.',
    'Garuda Partners is in talks with Hema Jewels for an investment of ₹200 crore.',
  ),
  about(
    'Lotus Optics crosses 1 million app downloads',
    'Lotus Optics crossed 1 million app downloads.',
    'Lotus Optics has crossed one million app downloads.',
  ),
  about(
    'Suruchi Dairy opens milk bar at Indore airport, its sixth this year',
    'Suruchi Dairy opened a milk bar at Indore airport.',
    'Suruchi Dairy has opened a milk bar at the Indore airport.',
  ),
  about(
    'Vanya Beauty pulls face cream from shelves after complaint in Lucknow',
    'Vanya Beauty pulled a face cream from shelves.',
    'Vanya Beauty has pulled a face cream from shelves after a complaint in Lucknow.',
  ),
  about(
    'Noor Watches defers Chennai store launch; Kochi opening on track',
    'Noor Watches deferred its Chennai store launch.',
    'Noor Watches has postponed a store launch in Chennai.',
  ),
  about(
    'Zolo Mart average order value rises to ₹620 from ₹540',
    "Zolo Mart's average order value rose to ₹620.",
    'The average order value of Zolo Mart rose to ₹620 from ₹540.',
  ),
  about(
    'Kiri Foods wins back Jaipur airport contract from Bodhi Coffee',
    'Kiri Foods won back the Jaipur airport contract.',
    'Kiri Foods has won back the Jaipur airport contract from Bodhi Coffee.',
  ),
  about(
    'Maya Retail had planned 60 stores this year; it has opened 22 so far',
    'Maya Retail has opened 22 stores so far.',
    'Maya Retail has opened 22 so far.',
  ),
  about(
    'Hema Jewels board to consider stock split on 9 February',
    'The board of Hema Jewels will consider a stock split on 9 February.',
    'The Hema Jewels board is to consider a stock split.',
  ),
  about(
    'Rasa Snacks names agency Kolam to handle its media account',
    'Rasa Snacks named Kolam to handle its media account.',
    'Rasa Snacks has named the agency Kolam to handle its media account.',
  ),
  about(
    'Tilak Shoes revenue seen at ₹1,900 crore in FY28: CEO Vikram Sethi',
    'Tilak Shoes revenue is seen at ₹1,900 crore in FY28.',
    'Tilak Shoes revenue is seen at ₹1,900 crore in FY28, CEO Vikram Sethi said.',
  ),
  about(
    'Pallu Capital marks down Zolo Mart valuation by 30%',
    "Pallu Capital marked down Zolo Mart's valuation by 30%.",
    'Pallu Capital has marked down the valuation of Zolo Mart by 30%.',
  ),
  about(
    'Bodhi Coffee adds 15 cafés in the September quarter, ends it with 140',
    'Bodhi Coffee added 15 cafés in the September quarter.',
    'Bodhi Coffee added 15 cafés in Q2.',
  ),
  about(
    'FSSAI suspends licence of Suruchi Dairy unit in Lucknow for 30 days',
    'The FSSAI suspended the licence of a Suruchi Dairy unit in Lucknow.',
    'FSSAI has suspended the licence of a Suruchi Dairy unit in Lucknow for 30 days.',
  ),
  about(
    'Orna Sarees trims FY27 growth guidance to 9% from 13%',
    'Orna Sarees trimmed its FY27 growth guidance to 9%.',
    'Orna Sarees cut its growth guidance for FY27 to 9% from 13%.',
  ),
  about(
    'Lotus Optics founder Ravi Kulkarni sells shares worth ₹58 crore',
    'Lotus Optics founder Ravi Kulkarni sold shares worth ₹58 crore.',
    'Ravi Kulkarni sold shares worth ₹58 crore.',
  ),
  about(
    'Maya Retail to get ₹260 crore from sale of Surat land',
    'Maya Retail will get ₹260 crore from the sale of Surat land.',
    'Maya Retail will receive ₹260 crore from a sale of land in Surat.',
  ),
  about(
    'Kiri Foods opens kitchen in Pune that can serve 8,000 meals a day',
    'Kiri Foods opened a kitchen in Pune.',
    'Kiri Foods has opened a kitchen in Pune that can serve 8,000 meals a day.',
  ),
  about(
    'Noor Watches brings German brand Uhrwald to India through 14 stores',
    'Noor Watches brought the German brand Uhrwald to India.',
    'Noor Watches has brought the German brand Uhrwald to India through 14 stores.',
  ),
  about(
    'Zolo Mart’s Q3 loss at ₹77 crore, wider than ₹52 crore a year ago',
    "Zolo Mart's Q3 loss was ₹77 crore.",
    'Zolo Mart reported a loss of ₹77 crore in Q3.',
  ),
  about(
    'Hema Jewels customers can now pay in instalments at 44 stores',
    'Hema Jewels customers can pay in instalments at 44 stores.',
    'Customers of Hema Jewels can now pay in instalments.',
  ),
  about(
    'Vanya Beauty CFO Arjun Pillai resigns, will serve notice until May',
    'Vanya Beauty CFO Arjun Pillai resigned.',
    'Arjun Pillai, CFO of Vanya Beauty, has resigned.',
  ),
  about(
    'Tilak Shoes launches recycled range Punah in 70 stores, priced from ₹899',
    'Tilak Shoes launched the recycled range Punah in 70 stores.',
    'Tilak Shoes has launched a recycled range, Punah, in 70 stores.',
  ),
  about(
    'Garuda Partners and Pallu Capital jointly invest ₹310 crore in Suruchi Dairy',
    'Garuda Partners and Pallu Capital invested ₹310 crore in Suruchi Dairy.',
    'Suruchi Dairy received an investment of ₹310 crore from Garuda Partners and Pallu Capital.',
  ),
  about(
    'Rasa Snacks loses ₹40 crore order after rival Kiri Foods bids lower',
    'Rasa Snacks lost a ₹40 crore order.',
    'Rasa Snacks lost an order of ₹40 crore.',
  ),
  about(
    'Orna Sarees promoters pledge 6% stake with lenders',
    'Orna Sarees promoters pledged a 6% stake with lenders.',
    'The promoters of Orna Sarees have pledged a 6% stake.',
  ),
  about(
    'Footfall at Bodhi Coffee cafés down 5% in monsoon months, says Sunita Rao',
    'Footfall at Bodhi Coffee cafés was down 5% in monsoon months, Sunita Rao said.',
    'Sunita Rao said footfall at Bodhi Coffee cafés fell 5%.',
  ),
];

/** Which of their true sentences are dropped has not been read: improve the rules on other texts, or write new ones here. */
export const UNREAD_TEXTS: readonly CheckedText[] = [
  about(
    'Maya Retail promoter family settles dispute over Surat property',
    'The promoter family of Maya Retail settled a dispute over Surat property.',
    'The Maya Retail promoter family has settled its dispute over Surat property.',
  ),
  about(
    'Bodhi Coffee switches to oat milk from Suruchi Dairy in all Kochi cafés',
    'Bodhi Coffee switched to oat milk from Suruchi Dairy.',
    'Bodhi Coffee has switched to oat milk in all Kochi cafés.',
  ),
  about(
    'Tilak Shoes redeems bonds of ₹120 crore ahead of schedule',
    'Tilak Shoes redeemed bonds of ₹120 crore.',
    'Tilak Shoes has redeemed ₹120 crore of bonds ahead of schedule.',
  ),
  about(
    'Zolo Mart faces probe by Chennai police over expired stock',
    'Zolo Mart faces a probe by Chennai police.',
    'Zolo Mart is facing a probe by Chennai police over expired stock.',
  ),
  about(
    'Lotus Optics doubles eye-test centres to 240 in two years',
    'Lotus Optics doubled its eye-test centres to 240.',
    'Lotus Optics has doubled its eye-test centres to 240 in two years.',
  ),
  about(
    'Customers queue outside new Hema Jewels store in Indore',
    'Customers queued outside a new Hema Jewels store in Indore.',
    'Customers queued outside the new Hema Jewels store.',
  ),
  about(
    'Kiri Foods hands Pune distribution to Rasa Snacks from 1 May',
    'Kiri Foods handed its Pune distribution to Rasa Snacks.',
    'Kiri Foods is handing Pune distribution to Rasa Snacks from 1 May.',
  ),
  about(
    'Vanya Beauty keeps FY27 sales target at ₹640 crore despite weak first half',
    'Vanya Beauty kept its FY27 sales target at ₹640 crore.',
    'Vanya Beauty has kept its sales target for FY27 at ₹640 crore.',
  ),
  about(
    'Garuda Partners raises second India fund of $300 million',
    'Garuda Partners raised a second India fund of $300 million.',
    'Garuda Partners has raised its second India fund of $300 Mn.',
  ),
  about(
    'Orna Sarees to hold two-day sale in Lucknow from Friday',
    'Orna Sarees will hold a two-day sale in Lucknow.',
    'Orna Sarees is set to hold a two-day sale in Lucknow from Friday.',
  ),
  about(
    'Noor Watches overhauls app after outage\nThe app was down for six hours on Sunday.',
    'Noor Watches overhauled its app after an outage.',
    'The app was down for six hours on Sunday.',
  ),
  about(
    'Suruchi Dairy gives 300 farmers in Nagpur advance of ₹9 crore',
    'Suruchi Dairy gave 300 farmers in Nagpur an advance of ₹9 crore.',
    'Suruchi Dairy has given farmers in Nagpur an advance of ₹9 crore.',
  ),
  about(
    'Rasa Snacks, Bodhi Coffee bring bottled chai to airports',
    'Rasa Snacks and Bodhi Coffee brought bottled chai to airports.',
    'Rasa Snacks and Bodhi Coffee have brought bottled chai to airports.',
  ),
  about(
    'Maya Retail CFO Neha Bose takes additional charge as COO',
    'Maya Retail CFO Neha Bose took additional charge as COO.',
    'Neha Bose, CFO of Maya Retail, has taken additional charge as COO.',
  ),
  about(
    'Tilak Shoes inventory days drop to 84 from 110',
    'Inventory days of Tilak Shoes dropped to 84.',
    "Tilak Shoes' inventory days fell to 84 from 110.",
  ),
  about(
    'Consumer court directs Zolo Mart to refund ₹42,000 to Pune buyer',
    'A consumer court directed Zolo Mart to refund ₹42,000 to a Pune buyer.',
    'Zolo Mart was directed by a consumer court to refund ₹42,000.',
  ),
  about(
    'Hema Jewels introduces gold savings plan with ₹500 monthly minimum',
    'Hema Jewels introduced a gold savings plan.',
    'Hema Jewels has introduced a gold savings plan with a ₹500 monthly minimum.',
  ),
  about(
    'Kiri Foods gets new logo; first change in 20 years',
    'Kiri Foods got a new logo.',
    'Kiri Foods has a new logo.',
  ),
  about(
    'Vikram Sethi, Pallu Capital partner, joins Lotus Optics board',
    'Vikram Sethi joined the Lotus Optics board.',
    'Vikram Sethi has joined the board of Lotus Optics.',
  ),
  about(
    'Vanya Beauty shares slide 9% on block deal\nPallu Capital sold 3% of the company.',
    'Vanya Beauty shares slid 9%.',
    'Shares of Vanya Beauty slid 9% on a block deal.',
  ),
  about(
    'Orna Sarees earns ₹36 crore from franchise fees in FY26',
    'Orna Sarees earned ₹36 crore from franchise fees.',
    'Orna Sarees earned ₹36 crore from franchise fees in FY26.',
  ),
  about(
    'Suruchi Dairy workers to get 12% pay rise under new wage pact',
    'Suruchi Dairy workers will get a 12% pay rise.',
    'Workers of Suruchi Dairy will receive a 12% pay rise under a new wage pact.',
  ),
  about(
    'Noor Watches tests same-day repair in Bengaluru and Chennai',
    'Noor Watches is testing same-day repair in Bengaluru.',
    'Noor Watches is piloting same-day repair in Bengaluru and Chennai.',
  ),
  about(
    'Bodhi Coffee founder Sunita Rao says rents have hurt margins',
    'Bodhi Coffee founder Sunita Rao said rents have hurt margins.',
    'Bodhi Coffee founder Sunita Rao said that rents hurt margins.',
  ),
];
