/** The category of a name that the catalogue lacks, guessed from what the name and its headlines say is sold. */
import { CATEGORIES, type Category } from '../../schemas/catalogue.ts';

/** Words for what a business of a category sells. */
const GOODS: Readonly<Partial<Record<Category, string>>> = {
  value_fashion: 'value fashion|affordable fashion|value retailer',
  fashion:
    'apparel|clothing|fashion|garments?|ethnic ?wear|sarees?|kurtas?|lehengas?|denim|jeans|lingerie|innerwear|menswear|womenswear|streetwear|couture|bridal|handloom|khadi',
  jewellery: 'jewell?ery|jewell?ers?|diamonds?|gold|ornaments',
  footwear: 'footwear|shoes?|sneakers?|sandals|slippers',
  quick_service_restaurants: 'qsr|quick[- ]service|burgers?|pizzas?|fried chicken|momos?|cloud kitchens?|biryani',
  restaurants_and_cafes:
    'cafes?|cafés?|coffee|restaurants?|bakery|bakers|dining|patisserie|gelato|chai|tea (?:room|post|house)s?|kitchens?|eatery|brew ?pub',
  hypermarkets_and_grocery: 'supermarkets?|hypermarkets?|grocer(?:y|ies)|kirana|fresh produce',
  electronics:
    'electronics?|smartphones?|mobiles?|appliances?|televisions?|tvs?|laptops?|earbuds|headphones|smartwatch(?:es)?|refrigerators?|washing machines?|purifiers?|acs?|air conditioners?',
  beauty: 'beauty|cosmetics?|make-?up|lipsticks?|skin ?care|fragrances?|perfumes?|hair ?care|serums?|sunscreens?',
  personal_care: 'soaps?|shampoos?|deodorants?|grooming|razors?|toothpaste|hygiene|sanitary|personal care',
  fmcg: 'fmcg|detergents?|consumer (?:goods|products)',
  food_and_beverage:
    'foods?|snacks?|snacking|beverages?|drinks?|juices?|cola|dairy|milk|curd|ice[- ]cream|chocolates?|spices|masalas?|namkeen|biscuits?|cookies|noodles|protein|honey|ghee|sweets|bottl(?:er|ing)|plant-based|edible oils?|makhana|kombucha',
  alcohol: 'whisk(?:e)?y|beers?|wines?|gin|rum|vodka|spirits|distiller(?:y|ies)|brewer(?:y|ies)|liquor',
  eyewear: 'eyewear|spectacles|eyeglasses|sunglasses|opticals?|opticians?|contact lenses',
  watches_and_accessories: 'watch(?:es|maker)?|handbags?|accessories|wallets|belts',
  luggage: 'luggage|suitcases?|backpacks?|trolleys?',
  home_and_furniture:
    'furniture|furnishings?|mattress(?:es)?|home decor|décor|bedding|bed linen|kitchenware|cookware|tableware|tiles|sofas?|curtains|lighting|bathware|interiors',
  paints: 'paints?|coatings',
  pharmacy_and_health:
    'pharma(?:cy|cies)?|medicines?|diagnostics?|nutraceuticals?|supplements|wellness|ayurved(?:a|ic)|hearing|clinics?|dental',
  fitness_and_sports: 'gyms?|fitness|sports(?:wear)?|activewear|athleisure|cycles?|yoga|badminton|cricket gear',
  baby_and_kids: 'kids|kidswear|baby|babies|toys?|diapers?|maternity|nursery|children(?:swear)?',
  pet_care: 'pets?|dog food|cat food|veterinary',
  luxury: 'luxury',
  malls_and_real_estate: 'mall (?:operator|developer)s?|malls|shopping cent(?:re|er)s?|gross leasable|realty',
  entertainment: 'multiplex(?:es)?|cinemas?|theme parks?|arcades?|trampoline|family entertainment|bowling',
  travel_and_hospitality: 'hotels?|resorts?|hostels?|airlines?|airways|homestays?|travel',
  consumer_services: 'laundry|dry clean(?:ing|ers)|home services|salons?|spas?|car wash|repairs?',
  logistics_and_retail_technology: 'logistics|warehous(?:e|ing)|fulfilment|supply chain|saas|retail tech(?:nology)?',
  automobiles: 'cars?|suvs?|scooters?|motorcycles?|electric vehicles?|evs?|two-wheelers?|tyres?|motors',
  quick_commerce: 'quick[- ]commerce|dark stores?|10-minute',
  ecommerce: 'e-?commerce|marketplace|sellers',
};

/** What is sold counts more than where and how; food for pets is no food. */
const WEIGHTS: Readonly<Partial<Record<Category, number>>> = {
  luxury: 0.5,
  malls_and_real_estate: 0.5,
  logistics_and_retail_technology: 0.5,
  quick_commerce: 0.5,
  ecommerce: 0.5,
  pet_care: 1.5,
};
/** What the name says counts as much as so many headlines. */
const WEIGHT_OF_NAME = 3;

const PATTERNS = CATEGORIES.flatMap((category) => {
  const words = GOODS[category];
  return words === undefined
    ? []
    : [
        {
          category,
          weight: WEIGHTS[category] ?? 1,
          pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu'),
        },
      ];
});

/** The category that most of the texts speak for; null where none says what is sold. */
export function guessCategory(name: string, headlines: readonly string[]): Category | null {
  const votes = PATTERNS.map(({ category, weight, pattern }) => {
    const inHeadlines = headlines.filter((headline) => pattern.test(headline)).length;
    return { category, votes: weight * (inHeadlines + (pattern.test(name) ? WEIGHT_OF_NAME : 0)) };
  });
  const [best] = votes.toSorted((one, other) => other.votes - one.votes);
  return best && best.votes > 0 ? best.category : null;
}
