/** A small catalogue of invented companies and real places, for tests of answers. */
import { CatalogueFile } from '../../schemas/catalogue.ts';
import { gazetteerOf } from '../../schemas/directory.ts';

export const smallFile = CatalogueFile.parse({
  sources: ['made up'],
  brands: [
    { slug: 'kiri-foods', name: 'Kiri Foods', category: 'food_and_beverage', retired_slugs: ['kiri'], group: 'food' },
    { slug: 'kiri-cafe', name: 'Kiri Café', category: 'restaurants_and_cafes', parent: 'kiri-foods' },
    { slug: 'kiri-juice', name: 'Kiri Juice', category: 'food_and_beverage', parent: 'kiri-foods' },
    { slug: 'maya-stores', name: 'Maya Stores', category: 'value_fashion', aliases: ['Maya Retail'], group: 'food' },
    { slug: 'maya-mart', name: 'MayaMart', category: 'value_fashion', parent: 'maya-stores' },
    { slug: 'tilak-shoes', name: 'Tilak Shoes', category: 'footwear', legal_names: ['Tilak Footwear Ltd'] },
    { slug: 'tilak-group', name: 'Tilak Group', category: 'conglomerate' },
  ],
  groups: [
    {
      slug: 'food',
      name: 'Food',
      aliases: ['eatables'],
      categories: ['food_and_beverage'],
      members: ['kiri-foods', 'maya-stores', 'tilak-shoes'],
    },
  ],
  cities: [
    { name: 'Pune', aliases: ['Poona'], state: 'Maharashtra', latitude: 18.52, longitude: 73.86 },
    { name: 'Bengaluru', aliases: ['Bangalore'], state: 'Karnataka', latitude: 12.97, longitude: 77.59 },
    { name: 'Nagpur', state: 'Maharashtra', latitude: 21.15, longitude: 79.08 },
  ],
  malls: [
    { name: 'Lake Mall Pune', aliases: ['Lake Mall'], city: 'Pune' },
    { name: 'Lake Mall Nagpur', aliases: ['Lake Mall'], city: 'Nagpur' },
    { name: 'Hill Mall', city: 'Pune' },
  ],
});

export const smallGazetteer = gazetteerOf(smallFile);

/** A city of the north, which the small catalogue lacks. */
export const GURUGRAM = {
  name: 'Gurugram',
  aliases: ['Gurgaon'],
  state: 'Haryana',
  latitude: 28.46,
  longitude: 77.03,
  common_word: false,
};
