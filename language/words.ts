/** Single words: their stems and topics, which ones are ordinary words rather than names, and given names. */

import list from './common.json' with { type: 'json' };

const IRREGULAR: Readonly<Record<string, string>> = {
  bought: 'buy',
  sold: 'sell',
  rose: 'ris',
  risen: 'ris',
  fell: 'fall',
  fallen: 'fall',
  grew: 'grow',
  grown: 'grow',
  took: 'tak',
  taken: 'tak',
  left: 'leav',
  gave: 'giv',
  given: 'giv',
  got: 'get',
  gets: 'get',
  brought: 'bring',
  built: 'build',
  went: 'go',
  goes: 'go',
  made: 'mak',
  said: 'say',
  says: 'say',
  told: 'tell',
  led: 'lead',
  lost: 'los',
  loses: 'los',
  paid: 'pay',
  won: 'win',
  held: 'hold',
  met: 'meet',
  began: 'begin',
  ran: 'run',
  running: 'run',
  cut: 'cut',
  cutting: 'cut',
  shutting: 'shut',
  quitting: 'quit',
  stores: 'store',
  cafes: 'cafe',
  shoes: 'shoe',
};

const MAX_STEMS = 20_000;
const knownStems = new Map<string, string>();

/** The stem of a folded word: without endings of number, tense and person. Crude, but deterministic. */
export function stem(word: string): string {
  const before = knownStems.get(word);
  if (before !== undefined) return before;
  if (knownStems.size >= MAX_STEMS) knownStems.clear();
  const stem = stemOf(word);
  knownStems.set(word, stem);
  return stem;
}

function stemOf(word: string): string {
  const irregular = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined;
  if (irregular) return irregular;
  const size = word.length;
  if (size < 4 || /[^a-z]/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`;
  let cut = word;
  if (word.endsWith('ing') && size > 5) cut = undouble(word.slice(0, -3));
  else if (word.endsWith('ed') && size > 4) cut = undouble(word.slice(0, -2));
  else if (/(?:ss|us|is)$/.test(word)) return word;
  else if (/(?:sh|ch|x|ss|z)es$/.test(word)) cut = word.slice(0, -2);
  else if (word.endsWith('s')) cut = word.slice(0, -1);
  return cut.length > 3 && cut.endsWith('e') && cut !== 'store' && cut !== 'cafe' && cut !== 'shoe'
    ? cut.slice(0, -1)
    : cut;
}

/** `planning` is `plan`. */
const undouble = (word: string): string => (/([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word);

const splitWords = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  retail: splitWords(
    'retail retailer retailers store stores outlet outlets showroom showrooms mall malls shop shops shopping shopper shoppers boutique kiosk supermarket supermarkets hypermarket grocery groceries kirana omnichannel ecommerce d2c marketplace qcommerce blinkit instamart zepto merchandising franchise offline footfall footfalls storefront checkout loyalty private label',
  ),
  fashion: splitWords(
    'fashion apparel clothing garment garments ethnicwear ethnic menswear womenswear kidswear innerwear lingerie activewear athleisure sportswear streetwear denim footwear shoes sneaker sneakers sandals saree sarees kurta lehenga handbag handbags bags luggage eyewear sunglasses spectacles watches watch jewellery jewelry jeweller jewellers diamond diamonds gold textile textiles wear couture designer loungewear swimwear',
  ),
  beauty: splitWords(
    'beauty skincare haircare cosmetics makeup fragrance fragrances perfume perfumes grooming salon salons personal hygiene shampoo soap moisturizer lipstick deodorant serum wellness nutraceutical nutraceuticals ayurvedic ayurveda bpc skin hair spa dermatology',
  ),
  food: splitWords(
    'food foods snack snacks snacking beverage beverages drink drinks coffee cafe cafes tea restaurant restaurants qsr dining pizza burger biryani chai bakery biscuit biscuits chocolate chocolates confectionery dairy milk ghee paneer icecream ice cream juice juices beer whisky whiskey gin rum vodka wine liquor alcobev brewery brewer spirits kitchen kitchens cloud menu noodles spices masala rice atta edible oil honey nuts protein nutrition supplements fmcg packaged cola energy water dessert sweets mithai meat seafood eggs fruit produce fresh cuisine flavours flavour malt snackable kombucha',
  ),
  home: splitWords(
    'furniture furnishings mattress mattresses decor kitchenware cookware appliances appliance ac acs refrigerator refrigerators tv tvs washing air cooler purifier fryer vacuum paint paints tiles lighting fans interior interiors homeware bedding sanitaryware wash plywood',
  ),
  electronics: splitWords(
    'electronics smartphone smartphones phone phones iphone laptop laptops headphones earbuds smartwatch wearables audio speaker speakers gaming monitor camera gadgets consumer durables durable tablet',
  ),
  family: splitWords('baby kids toys toy pet pets dog cat maternity diaper diapers school stationery gifting gifts'),
  leisure: splitWords('cinema cinemas multiplex multiplexes theatre gym gyms fitness entertainment amusement'),
  shopper: splitWords(
    'consumer consumers consumption festive diwali rakhi discount discounts sale prime eors customers premium premiumisation premiumization luxury brand brands d2c rural urban demand pack packs price prices mrp gst gmv store-count',
  ),
  regulators: splitWords('fssai ccpa bis legal metrology'),
  finance: splitWords(
    'bank banks banking lender lending loan loans nbfc insurance insurer insurtech insuretech fintech upi payments payment credit wealth broking brokerage brokerages mutual fund bonds bond crypto cryptocurrency bitcoin stablecoin rbi brokers broker sensex nifty aif gift ifsc forex rupee treasury',
  ),
  technology: splitWords(
    'ai agentic llm saas software cloud cyber cybersecurity semiconductor chip chips deeptech data datacentre gpu robot robotics robots quantum openai anthropic nvidia google microsoft meta whatsapp telegram coding developers developer api devsparks hackathon drone drones satellite space spacex satcom telecom 5g gcc gccs it tcs infosys hcltech wipro enterprise musk bezos zuckerberg vpn username',
  ),
  mobility: splitWords(
    'ev evs electric vehicle vehicles two-wheeler e2w scooter scooters car cars auto automobile automotive motors tata-motors airline airlines airport airports aviation flight flights indigo cab cabs ride hailing rapido ola uber bus charging battery mobility truck logistics',
  ),
  property: splitWords(
    'realty real estate housing homes coworking workspace workspaces office offices proptech hotel hotels resort resorts hospitality villa senior-living',
  ),
  industry: splitWords(
    'steel power solar energy oil gas coal refinery cement chemicals chemical pharma pharmaceutical drug drugs hospital hospitals healthtech biotech medtech diagnostics ammonia zinc mining defence cleantech climate recycling waste manufacturing deep engineering shrimp agritech farm farmers crop exports exporters tariff tariffs',
  ),
  public: splitWords(
    'minister ministry pm modi parliament policy economy economic gdp inflation wpi cpi union budget world fta trade pact war election elections supreme tribunal insolvency',
  ),
  learning: splitWords(
    'edtech education university college school schools iit iim students study upskilling skilling academy',
  ),
  media: splitWords(
    'ott streaming film films movie movies music gaming esports podcast news media creator creators influencer social',
  ),
  story: splitWords(
    'story journey lessons lesson teachings inspiring playbook explained explainer interview opinion summit conclave conference awards award list top startups-to-watch roundup digest podcast photo essay guide tips history secret why how inside meet who',
  ),
  global: splitWords(
    'us uk china chinese european europe german japan american australia russia global saudi dubai singapore',
  ),
};

const TOPIC_OF = new Map<string, string[]>();
for (const [topic, members] of Object.entries(TOPICS))
  for (const member of members) TOPIC_OF.set(member, [...(TOPIC_OF.get(member) ?? []), topic]);

/** The topics of one folded word; none for most words. */
export const findTopics = (word: string): readonly string[] => TOPIC_OF.get(word) ?? [];

/** Topics of consumer business. */
export const CONSUMER_TOPICS: ReadonlySet<string> = new Set([
  'retail',
  'fashion',
  'beauty',
  'food',
  'home',
  'electronics',
  'family',
  'leisure',
  'regulators',
]);
/** Topics outside consumer business. */
export const OUTSIDE_TOPICS: ReadonlySet<string> = new Set([
  'finance',
  'technology',
  'mobility',
  'property',
  'industry',
  'learning',
  'media',
]);

/** Ordinary words of headlines and of English, in the order of the alphabet. */
export const COMMON_WORDS: readonly string[] = list.words;
const COMMON: ReadonlySet<string> = new Set(COMMON_WORDS);

/** Whether a folded word is an ordinary word, as labelled texts write in lower case. A name needs more than such words. */
export const isCommon = (word: string): boolean =>
  COMMON.has(word) || findTopics(word).length > 0 || /^\d/.test(word) || word.length === 1;

/** Whether a folded word is an ordinary one of English, or too short to mean anything alone. */
export const isOrdinary = (word: string): boolean => COMMON.has(word) || word.length <= 2;

/** Letters put in, left out, changed or swapped with the next; more than `limit` is `limit` + 1. */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let [before, row]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let place = 1; place <= other.length; place++) {
      const same = one[at - 1] === other[place - 1];
      let cost = Math.min((next[place - 1] ?? 0) + 1, (row[place] ?? 0) + 1, (row[place - 1] ?? 0) + (same ? 0 : 1));
      if (at > 1 && place > 1 && one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1])
        cost = Math.min(cost, (before[place - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) > limit) return limit + 1;
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}

/** Given names that are common in Indian business, folded: one of these and another capitalised word are a person. */
export const GIVEN_NAMES: ReadonlySet<string> = new Set(
  (
    'aakash aakriti aarav aarti abhay abhijit abhinav abhishek aditi aditya ajay ajit ajoy akash akhil akshay alok aman amar amit amita amitabh amol amrita anand ananya aneesh angad anil anirudh anita anjali anjana ankit ankita ankur anoop ansh anshul anshuman anuj anupam anuradha anurag anushka apoorva aparna arjun arnab arpit arun aruna arvind asha ashish ashok ashutosh ashwin ashwini asim atul avinash avni ayaan ayush ' +
    'bala balaji bharat bhaskar bhavesh bhavin bhavna bhuvan bijou binny brijesh chaitanya chandan chandra charu chetan chirag damini darshan debashish deepa deepak deepika deepinder dev devika devendra dhananjay dharmesh dheeraj dhiraj dhruv dilip dinesh divya ekta esha faisal falguni farhan gaurav gautam gayatri geeta gopal girish gunjan gurpreet ' +
    'hardik harish harsh harsha harshad harshil harshit harshita hemant hemanth himanshu hitesh imran indra ira isha ishaan ishita jagdish jai jatin jay jaya jayant jayesh jitendra joy jyoti kabir kailash kalpana kalyan kamal kanika kapil karan karthik kartik kaushal kaushik kavita kavitha keshav ketan kiran kirti kishore krishna kriti kunal kushal lakshmi lalit lavanya leena lokesh ' +
    'madan madhav madhavi madhu madhur mahendra mahesh maneesh manik manish manisha manju manmeet manoj mansi mayank mayur meena meera megha meghna meher milind mithun mohan mohit monica mridul mukesh mukul murali nadia naina nakul nalin naman namita nandini nandan narayan naresh natasha naveen navin navneet neel neelam neeraj neha nidhi nihar nikhil nikita nilesh nimish nirav nishant nishi nitesh nithin nitika nitin niyati noel ' +
    'om padma palak pallav pallavi pankaj parag paras parth parul pavan pawan payal peeyush piyush pooja poonam prabhat prachi pradeep prakash pramod pranav pranay prasad prasanna prashant prateek pratik pratham praveen prem preeti prerna prithvi priti priya priyanka puja puneet punit puneeta purvi radha radhika raghav raghu raghunandan rahul raj raja rajan rajat rajeev rajendra rajesh rajiv rajni raju rakesh ram raman ramesh ranjan ranjit rashmi ratan ravi ravindra reena rekha renu ria richa rishabh rishi ritesh ritika ritu ritwik riya rohan rohini rohit roopa ruchi ruchika rupa rupali ' +
    'saahil sabyasachi sachin sagar sahil saket sakshi salil salman samar sameer samir sampada sandeep sandhya sandip sangeeta sanjay sanjeev sanjiv sanket santosh sarah sarita sarthak sarvesh satish satya satyajit saumya saurabh savita seema shailesh shalini shankar shantanu sharad shashank shashi sheetal shikha shilpa shishir shiv shivam shivani shraddha shreya shreyas shruti shubham shweta siddharth siddhartha simran smita smriti sneha sohail sonal sonali sonam sonia sourav sridhar srikanth srinivas sriram subhash subodh suchi sudarshan sudha sudhanshu sudhir sujata sumant sumeet sumit suman sunil sunita supriya suraj surbhi surendra suresh surya sushant sushil swapnil swati swetha ' +
    'tanaya tania tanisha tanmay tanvi tanya tara taran tarun tejas trisha tushar uday ujjwal uma umang umesh upasana usha utkarsh vaibhav vandana varsha varun vasant vasudha veena venkat venkatesh vibha vibhor vidya vijay vikas vikash vikram vikrant vimal vinay vineet vineeta vinita vinod vinti vipin vipul viraj virat vishal vishnu vivek yash yashwant yogesh yuvraj zara zoya ' +
    'adam alan alex alexander amanda andrea andrew andy angela anna anthony antonio benjamin brian carlos caroline charles chris christian christina christopher claire daniel david denis donald edward elena elizabeth emma eric frank frederic gary george gerard giovanni henry ian jack james jan jane jason jean jeff jennifer jeremy jerome jessica jim joel john jonathan jorge joseph juan julia karen karl kate keith kenneth kevin laura laurent lisa louis luca lucas maria marc marco mario mark martin mary matthew michael michel mike miguel nancy natalie nicholas nick nicolas oliver olivier pablo patrick paul pedro peter philip philippe pierre rachel ralph raymond richard robert roger ronald ryan samantha sam samuel sandra scott sean simon stefan stephen steve steven susan terence thomas tim timothy tom tony victor vincent william'
  ).split(' '),
);
