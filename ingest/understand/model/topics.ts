/** What the words of a headline are about: goods and places of consumer business, and fields that are none of it. */

const group = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  retail: group(
    'retail retailer retailers store stores outlet outlets showroom showrooms mall malls shop shops shopping shopper shoppers boutique kiosk supermarket supermarkets hypermarket grocery groceries kirana omnichannel ecommerce d2c marketplace qcommerce blinkit instamart zepto merchandising franchise offline footfall footfalls storefront checkout loyalty private label',
  ),
  fashion: group(
    'fashion apparel clothing garment garments ethnicwear ethnic menswear womenswear kidswear innerwear lingerie activewear athleisure sportswear streetwear denim footwear shoes sneaker sneakers sandals saree sarees kurta lehenga handbag handbags bags luggage eyewear sunglasses spectacles watches watch jewellery jewelry jeweller jewellers diamond diamonds gold textile textiles wear couture designer loungewear swimwear',
  ),
  beauty: group(
    'beauty skincare haircare cosmetics makeup fragrance fragrances perfume perfumes grooming salon salons personal hygiene shampoo soap moisturizer lipstick deodorant serum wellness nutraceutical nutraceuticals ayurvedic ayurveda bpc skin hair spa dermatology',
  ),
  food: group(
    'food foods snack snacks snacking beverage beverages drink drinks coffee cafe cafes tea restaurant restaurants qsr dining pizza burger biryani chai bakery biscuit biscuits chocolate chocolates confectionery dairy milk ghee paneer icecream ice cream juice juices beer whisky whiskey gin rum vodka wine liquor alcobev brewery brewer spirits kitchen kitchens cloud menu noodles spices masala rice atta edible oil honey nuts protein nutrition supplements fmcg packaged cola energy water dessert sweets mithai meat seafood eggs fruit produce fresh cuisine flavours flavour malt snackable kombucha',
  ),
  home: group(
    'furniture furnishings mattress mattresses decor kitchenware cookware appliances appliance ac acs refrigerator refrigerators tv tvs washing air cooler purifier fryer vacuum paint paints tiles lighting fans interior interiors homeware bedding sanitaryware wash plywood',
  ),
  electronics: group(
    'electronics smartphone smartphones phone phones iphone laptop laptops headphones earbuds smartwatch wearables audio speaker speakers gaming monitor camera gadgets consumer durables durable tablet',
  ),
  family: group('baby kids toys toy pet pets dog cat maternity diaper diapers school stationery gifting gifts'),
  leisure: group('cinema cinemas multiplex multiplexes theatre gym gyms fitness entertainment amusement'),
  shopper: group(
    'consumer consumers consumption festive diwali rakhi discount discounts sale prime eors customers premium premiumisation premiumization luxury brand brands d2c rural urban demand pack packs price prices mrp gst gmv store-count',
  ),
  regulators: group('fssai ccpa bis legal metrology'),
  finance: group(
    'bank banks banking lender lending loan loans nbfc insurance insurer insurtech insuretech fintech upi payments payment credit wealth broking brokerage brokerages mutual fund bonds bond crypto cryptocurrency bitcoin stablecoin rbi brokers broker sensex nifty aif gift ifsc forex rupee treasury',
  ),
  technology: group(
    'ai agentic llm saas software cloud cyber cybersecurity semiconductor chip chips deeptech data datacentre gpu robot robotics robots quantum openai anthropic nvidia google microsoft meta whatsapp telegram coding developers developer api devsparks hackathon drone drones satellite space spacex satcom telecom 5g gcc gccs it tcs infosys hcltech wipro enterprise musk bezos zuckerberg vpn username',
  ),
  mobility: group(
    'ev evs electric vehicle vehicles two-wheeler e2w scooter scooters car cars auto automobile automotive motors tata-motors airline airlines airport airports aviation flight flights indigo cab cabs ride hailing rapido ola uber bus charging battery mobility truck logistics',
  ),
  property: group(
    'realty real estate housing homes coworking workspace workspaces office offices proptech hotel hotels resort resorts hospitality villa senior-living',
  ),
  industry: group(
    'steel power solar energy oil gas coal refinery cement chemicals chemical pharma pharmaceutical drug drugs hospital hospitals healthtech biotech medtech diagnostics ammonia zinc mining defence cleantech climate recycling waste manufacturing deep engineering shrimp agritech farm farmers crop exports exporters tariff tariffs',
  ),
  public: group(
    'minister ministry pm modi parliament policy economy economic gdp inflation wpi cpi union budget world fta trade pact war election elections supreme tribunal insolvency',
  ),
  learning: group(
    'edtech education university college school schools iit iim students study upskilling skilling academy',
  ),
  media: group(
    'ott streaming film films movie movies music gaming esports podcast news media creator creators influencer social',
  ),
  story: group(
    'story journey lessons lesson teachings inspiring playbook explained explainer interview opinion summit conclave conference awards award list top startups-to-watch roundup digest podcast photo essay guide tips history secret why how inside meet who',
  ),
  global: group(
    'us uk china chinese european europe german japan american australia russia global saudi dubai singapore',
  ),
};

const TOPIC_OF = new Map<string, string[]>();
for (const [topic, members] of Object.entries(GROUPS))
  for (const member of members) TOPIC_OF.set(member, [...(TOPIC_OF.get(member) ?? []), topic]);

/** The topics of one folded word; none for most words. */
export const topicsOf = (word: string): readonly string[] => TOPIC_OF.get(word) ?? [];

/** Goods and places of consumer business. */
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
/** Fields that are none of it. */
export const OUTSIDE_TOPICS: ReadonlySet<string> = new Set([
  'finance',
  'technology',
  'mobility',
  'property',
  'industry',
  'learning',
  'media',
]);
