/** Parts of cities by which headlines say where a store is. Names that several cities share are left out. */
import { fold, type Text } from './tokens.ts';

const BY_CITY: Readonly<Record<string, string>> = {
  Delhi:
    'Connaught Place,Karol Bagh,Lajpat Nagar,Saket,Vasant Kunj,Vasant Vihar,Hauz Khas,Rajouri Garden,Janakpuri,Dwarka,Rohini,Pitampura,Greater Kailash,Chandni Chowk,Sarojini Nagar,Chanakyapuri,Aerocity,Okhla,Nehru Place,Preet Vihar,Mehrauli,Punjabi Bagh',
  Mumbai:
    'Bandra,Bandra Kurla Complex,Andheri,Juhu,Powai,Lower Parel,Worli,Colaba,Kala Ghoda,Malad,Borivali,Goregaon,Dadar,Ghatkopar,Lokhandwala,Kandivali,Chembur,Mulund,Santacruz,Vile Parle,Prabhadevi,Nariman Point,Oshiwara',
  Bengaluru:
    'Koramangala,Indiranagar,Whitefield,HSR Layout,Jayanagar,JP Nagar,Malleshwaram,Marathahalli,Electronic City,Hebbal,Yelahanka,Sarjapur Road,Bellandur,Rajajinagar,Basavanagudi,Sadashivanagar,Kalyan Nagar,Banashankari,Frazer Town',
  Hyderabad:
    'Banjara Hills,Jubilee Hills,Gachibowli,Hitec City,HITEC City,Madhapur,Kondapur,Kukatpally,Begumpet,Secunderabad,Himayatnagar,Abids,Dilsukhnagar,Ameerpet,Kokapet,Financial District,Manikonda',
  Chennai:
    'T Nagar,T. Nagar,Anna Nagar,Adyar,Velachery,Nungambakkam,Alwarpet,Mylapore,Besant Nagar,Tambaram,Porur,Thoraipakkam,OMR,Chromepet,Purasawalkam',
  Pune: 'Koregaon Park,Viman Nagar,Kalyani Nagar,Baner,Hinjewadi,Kothrud,Aundh,Wakad,Hadapsar,Magarpatta,Chakan,Pimpri,Balewadi',
  Kolkata: 'Salt Lake,Ballygunge,New Town,Rajarhat,Gariahat,Behala,Alipore,Howrah Maidan,Kankurgachi,Elgin Road',
  Gurugram: 'Cyber Hub,Golf Course Road,DLF Phase 1,DLF Phase 3,Sohna Road,MG Road Gurugram,CyberHub,Udyog Vihar',
  Ghaziabad: 'Vasundhara,Indirapuram,Vaishali,Raj Nagar Extension,Kaushambi',
  Ahmedabad: 'Bodakdev,Satellite,Vastrapur,Prahlad Nagar,Navrangpura,Thaltej,Sindhu Bhavan Road,Maninagar,Bopal',
  Lucknow: 'Hazratganj,Gomti Nagar,Aliganj,Aminabad',
  Jaipur: 'Malviya Nagar Jaipur,C-Scheme,Vaishali Nagar,Mansarovar',
  Surat: 'Vesu,Adajan,Piplod,Athwa',
  Thane: 'Ghodbunder Road,Viviana',
  'Navi Mumbai': 'Vashi,Kharghar,Nerul,Seawoods,Belapur',
  Kochi: 'Edappally,Kakkanad,Panampilly Nagar,Fort Kochi,Vyttila',
  Indore: 'Vijay Nagar Indore,Sapna Sangeeta',
  Goa: 'Panjim,Anjuna,Assagao,Calangute,Vagator',
  Bareilly: 'Civil Lines Bareilly',
  Virar: 'Virar West',
};

export interface Locality {
  readonly name: string;
  readonly city: string;
}

const NAMES: ReadonlyMap<string, Locality> = new Map(
  Object.entries(BY_CITY).flatMap(([city, names]) =>
    names.split(',').map(
      (name) =>
        [
          fold(name)
            .replace(/[^a-z0-9]+/g, ' ')
            .trim(),
          { name, city },
        ] as const,
    ),
  ),
);
const FIRST_WORDS: ReadonlySet<string> = new Set([...NAMES.keys()].map((key) => key.split(' ')[0] ?? ''));
const LONGEST = Math.max(...[...NAMES.keys()].map((key) => key.split(' ').length));

/** The first locality that a text names with a capital, the longest name winning; null for none. */
export function localityIn(text: Text): Locality | null {
  for (const token of text.tokens) {
    if (!token.capital || !FIRST_WORDS.has(token.fold)) continue;
    for (let count = LONGEST; count > 0; count--) {
      const words = text.tokens.slice(token.index, token.index + count);
      const found = words.length === count ? NAMES.get(words.map((word) => word.fold).join(' ')) : undefined;
      if (found) return found;
    }
  }
  return null;
}
