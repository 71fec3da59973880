/**
 * Questions in other languages: Hindi in Latin letters or Devanagari is put into English words, as far as its intent, kinds,
 * times and names go; other languages are recognised by script. Phrases of English that say the same in other words are replaced.
 */
import { NTH } from './question-period.ts';
import type { UNREAD_LANGUAGES } from './typed-query.ts';

export type UnreadLanguage = (typeof UNREAD_LANGUAGES)[number];

/** Names in Devanagari, in each of their spellings, those most frequent in the trade. */
const NAMES: Readonly<Record<string, string>> = {
  reliance: 'रिलायंस',
  tata: 'टाटा',
  trent: 'ट्रेंट',
  zudio: 'ज़ूडियो|जुडियो|जूडियो|ज़ुडियो',
  titan: 'टाइटन',
  tanishq: 'तनिष्क',
  dmart: 'डीमार्ट',
  nykaa: 'नायका',
  myntra: 'मिंत्रा',
  meesho: 'मीशो',
  amazon: 'अमेज़न|अमेजन',
  flipkart: 'फ्लिपकार्ट',
  zomato: 'ज़ोमैटो|जोमैटो',
  swiggy: 'स्विगी',
  blinkit: 'ब्लिंकिट',
  zepto: 'ज़ेप्टो|जेप्टो',
  instamart: 'इंस्टामार्ट',
  lenskart: 'लेंसकार्ट',
  starbucks: 'स्टारबक्स',
  dominos: 'डोमिनोज',
  mcdonalds: 'मैकडॉनल्ड्स',
  kfc: 'केएफसी',
  haldirams: 'हल्दीराम',
  bata: 'बाटा',
  puma: 'प्यूमा',
  nike: 'नाइकी',
  adidas: 'एडिडास',
  zara: 'ज़ारा',
  uniqlo: 'यूनिक्लो',
  westside: 'वेस्टसाइड',
  pantaloons: 'पैंटालून',
  manyavar: 'मान्यवर',
  fabindia: 'फैबइंडिया',
  patanjali: 'पतंजलि',
  ikea: 'आईकिया',
  croma: 'क्रोमा',
  amul: 'अमूल',
  apple: 'एप्पल|ऐपल',
  bluestone: 'ब्लूस्टोन',
  adani: 'अडानी',
  aditya: 'आदित्य',
  birla: 'बिड़ला',
  dabur: 'डाबर',
  marico: 'मैरिको',
  britannia: 'ब्रिटानिया',
  mumbai: 'मुंबई',
  delhi: 'दिल्ली',
  pune: 'पुणे',
  bengaluru: 'बेंगलुरु|बैंगलोर',
  chennai: 'चेन्नई',
  kolkata: 'कोलकाता',
  hyderabad: 'हैदराबाद',
  ahmedabad: 'अहमदाबाद',
  surat: 'सूरत',
  jaipur: 'जयपुर',
  lucknow: 'लखनऊ',
  noida: 'नोएडा',
  gurugram: 'गुरुग्राम',
  indore: 'इंदौर',
  bhopal: 'भोपाल',
  patna: 'पटना',
  nagpur: 'नागपुर',
  chandigarh: 'चंडीगढ़',
  kochi: 'कोच्चि',
  varanasi: 'वाराणसी',
  kanpur: 'कानपुर',
};

/** Hindi words by their spellings, with their English equivalents. */
const WORDS: readonly (readonly [string, string])[] = [
  ['kya hua|kya ho raha|kya chal raha|क्या हुआ|क्या हो रहा', 'what happened'],
  ['kaunse|kaunsi|kaunsa|konse|konsi|kaun se|kaun si|kis|कौनसे|कौनसी|कौन से|कौन सी|कौन सा|किस', 'which'],
  ['kisne|kis ne|kaun|kon|किसने|कौन', 'who'],
  ['kitne|kitni|kitney|कितने|कितनी', 'how many'],
  ['kitna|कितना', 'how much'],
  ['abhi tak|ab tak|अभी तक|अब तक', 'so far'],
  ['kab tak|कब तक', 'by when'],
  ['kab|कब', 'when'],
  ['kahan|kaha|kidhar|कहाँ|कहां', 'where'],
  ['kyun|kyon|kyu|kyo|क्यों|क्यूं', 'why'],
  ['kya|क्या', 'what'],
  ['kharida|khareeda|kharidi|kharide|kharid liya|kharid|ख़रीदा|खरीदा|खरीदी|खरीदे|खरीद', 'bought'],
  ['bech raha|bech rahi|bech rahe|बेच रहा|बेच रही|बेच रहे', 'selling'],
  ['becha|bechi|beche|bech diya|bech|बेचा|बेची|बेचे', 'sold'],
  ['kholega|kholegi|kholenge|khulenge|khulega|खोलेगा|खोलेगी|खोलेंगे|खुलेंगे|खुलेगा', 'will open'],
  ['khola|kholi|khole|khule|khula|khuli|khul|kholey|खोला|खोली|खोले|खुले|खुला|खुली', 'opened'],
  [
    'band kiya|band kiye|band kiya hai|band hue|band hua|band huye|band ho gaye|band kar diye|band kar diya|band|बंद किए|बंद किया|बंद हुए|बंद हुआ|बंद',
    'closed',
  ],
  [
    'chhoda|choda|chhod diya|chod diya|chhodi|chora|chod|chhod|istifa diya|istifa|छोड़ा|छोड़ दिया|छोड़ी|छोड़|इस्तीफा दिया|इस्तीफा',
    'left',
  ],
  ['mila|mili|मिला|मिले|मिली', 'raised'],
  ['lead kiya|lead kiya hai|lead ki|लीड किया', 'led'],
  ['naya|nayi|naye|nai|नया|नई|नए|नये', 'new'],
  ['niyukt|bana|bani|banaya|bane|नियुक्त|बना|बनी|बनाया', 'appointed'],
  ['juta|jutaye|jutaya|jutaya hai|jutai|uthaya|uthaye|जुटाया|जुटाए|जुटाई|उठाया', 'raised'],
  ['nivesh kiya|nivesh|निवेश किया|निवेश', 'investment'],
  ['paisa|paise|rupaye|rupay|पैसा|पैसे|रुपये', 'money'],
  ['munafa|labh|मुनाफा|मुनाफ़ा|लाभ', 'profit'],
  ['ghata|nuksan|nuksaan|घाटा|नुकसान', 'loss'],
  ['kamai|rajasva|aay|bikri|कमाई|राजस्व|आय|बिक्री', 'revenue'],
  ['dukan|dukaan|dukane|dukanen|dukanein|stor|दुकान|दुकानें|दुकाने|स्टोर|स्टोर्स|शोरूम|आउटलेट', 'stores'],
  ['सीईओ', 'ceo'],
  ['सीएफओ', 'cfo'],
  ['एमडी', 'md'],
  ['shahar|sheher|shehar|शहर|शहरों', 'city'],
  ['sabse zyada|sabse jyada|sabse adhik|सबसे ज्यादा|सबसे ज़्यादा|सबसे अधिक', 'most'],
  ['sabse bada|sabse badi|sabse bade|सबसे बड़ा|सबसे बड़ी|सबसे बड़े', 'biggest'],
  ['kampani|kampaniyan|कंपनी|कंपनियां|कंपनियों|ब्रांड|ब्रांड्स', 'companies'],
  ['gahne|gehne|jewelari|गहने|आभूषण|ज्वेलरी', 'jewellery'],
  ['joote|jute|जूते', 'footwear'],
  ['kapde|कपड़े', 'fashion'],
  ['khabar|khabre|khabrein|khabar kya|खबर|ख़बर|खबरें|समाचार', 'news'],
  ['batao|bataiye|bataye|dikhao|dikhaiye|बताओ|बताइए|बताएं|दिखाओ|दिखाइए', 'show'],
  ['launch kiya|pesh kiya|लॉन्च किया|लॉन्च|पेश किया', 'launched'],
  ['pichle hafte|pichhle hafte|pichle saptah|pichle week|पिछले हफ्ते|पिछले हफ़्ते|पिछले सप्ताह', 'last week'],
  ['pichle mahine|pichhle mahine|पिछले महीने', 'last month'],
  ['pichle saal|pichhle saal|पिछले साल', 'last year'],
  ['is hafte|iss hafte|is saptah|is week|इस हफ्ते|इस हफ़्ते|इस सप्ताह', 'this week'],
  ['is mahine|iss mahine|is month|इस महीने', 'this month'],
  ['is saal|iss saal|is year|इस साल', 'this year'],
  ['pichle|pichhle|पिछले', 'last'],
  ['saal|साल', 'year'],
  ['din|dino|dinon|दिन|दिनों', 'days'],
  ['hafte|hafton|हफ्ते|हफ्तों|हफ़्तों', 'weeks'],
  ['mahine|mahino|mahinon|महीने|महीनों', 'months'],
  ['aaj|आज', 'today'],
  ['kal|कल', 'yesterday'],
  ['diwali|दिवाली|दीवाली', 'diwali'],
  ['aur|और', 'and'],
  ['maang rahe|maang raha|maang rahi|maange|maanga|maangi|maang|मांग रहे|मांगा|मांगी', 'asking'],
  ['tal gaya|tal gayi|tala|tali|टल गया|टल गई|टला', 'delayed'],
  ['badha|badhi|badhe|badhaya|badhayi|badhaye|बढ़ा|बढ़ी|बढ़े|बढ़ाया|बढ़ाई', 'increased'],
  ['ghata diya|ghataya|ghatayi|ghataye|घटाया|घटाई', 'cut'],
  ['daam|keemat|kimat|दाम|कीमत|क़ीमत', 'price'],
  ['daaru|daru|sharab|दारू|शराब', 'alcohol'],
  ['ab|अब', 'now'],
  ['ya|या', 'or'],
];

/** Words of letters and marks: `\b` knows only those of ASCII. */
const whole = (forms: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${forms})(?![\\p{L}\\p{M}\\p{N}])`, 'gu');
const FORMS = WORDS.map(
  ([forms, english]) =>
    [
      whole(
        forms
          .split('|')
          .sort((one, other) => other.length - one.length)
          .map(RegExp.escape)
          .join('|'),
      ),
      ` ${english} `,
    ] as const,
);

/** Words that are Hindi and nothing else in a question about retail. */
const SURE =
  /\b(?:kya|kisne|kaun|kitne|kitni|kitna|kahan|kyun|kyon|kaunse|kaunsi|kharida|khareeda|kharidi|khola|khole|khule|chhoda|istifa|mein|hai|hain|hua|hue|batao|dikhao|dukan|dukaan|pichle|hafte|mahine|ke baare|ke alawa|naya|nayi|munafa|kholega|kholenge|jutaye|jutaya|kisko|kiske|kiska|kiski|mila|mili|kiya|kiye|gaya|gayi|kaise|raha|rahi|abhi|kab)\b/g;
const DEVANAGARI = /\p{Script=Devanagari}/u;
const MARATHI = whole('आहे|आहेत|काय|कोणी|कोणते|कोण|किती|मध्ये|उघडले|उघडली|झाले|झाली|केले|केली|कुठे|नवीन');

const NAME = '([\\p{L}\\p{M}\\p{N}&]+(?: [\\p{L}\\p{M}\\p{N}&]+)?)';
const ONE = '([\\p{L}\\p{M}\\p{N}&]+)';

const NAME_FORMS = Object.entries(NAMES).map(([latin, names]) => [new RegExp(names, 'g'), latin] as const);

/** Whether a text is Hindi, in either script. */
const isHindi = (text: string): boolean => DEVANAGARI.test(text) || (text.match(SURE)?.length ?? 0) >= 1;

/**
 * Puts Hindi into English words, in an order that the rules for English understand.
 * @param text in lower case, without punctuation
 * @returns the text itself where it is not Hindi
 */
export function fromHindi(text: string): string {
  if (!isHindi(text)) return text;
  let english = ` ${text} `;
  for (const [form, latin] of NAME_FORMS) english = english.replace(form, latin);
  english = english
    .replace(whole('ke baare (?:mein|me|mai)|के बारे में'), ' news about ')
    .replace(
      new RegExp(`${ONE} ${'(?:ke alawa|ko chhodkar|ko chodkar|ke siva|ke sivay|के अलावा|को छोड़कर)'}`, 'gu'),
      'other than $1 ',
    )
    .replace(new RegExp(`${ONE} ${'(?:ke baad(?: se)?|के बाद)'}(?= )`, 'gu'), 'since $1 ')
    .replace(new RegExp(`${ONE} ${'(?:se pehle|se pahle|से पहले)'}(?= )`, 'gu'), 'before $1 ');
  for (const [form, meaning] of FORMS) english = english.replace(form, meaning);
  english = english
    .replace(/(\d+) +(days|weeks|months) +(?:mein|me|main|में)(?= )/gu, '$1 $2 ')
    .replace(/(last|this) +(week|month|year|days|weeks|months) +(?:mein|me|main|में|ke|ka|ki)(?= )/gu, '$1 $2 ')
    .replace(new RegExp(`${ONE} +(?:mein|me|main|mai|में|par|pe|पर)(?= )`, 'gu'), ' in $1 ')
    .replace(new RegExp(`${NAME} +(?:ka|ki|ke|का|की|के)(?= )`, 'gu'), '$1 s ');
  const agent = new RegExp(`${NAME} +(?:ne|ने)(?= )`, 'u').exec(english);
  if (agent) english = english.replace(agent[0], agent[1] ?? '');
  english = english
    .replace(
      whole(
        'aa|raha|rahi|rahe|aayega|aayegi|ayega|aaega|ne|ko|se|hai|hain|tha|the|thi|ho|gaya|gaye|gayi|hua|hue|hui|huye|diya|diye|kiya|kiye|liya|mujhe|koi|bhi|tak|तक|wala|wali|wale|waala|waali|waale|ने|को|से|है|हैं|था|थे|थी|हो|गया|गए|गई|हुआ|हुए|हुई|दिया|दिए|किया|किए|लिया|में|का|की|के|मुझे|कोई|भी',
      ),
      ' ',
    )
    .replace(/ +/g, ' ')
    .trim();
  // English asks first.
  const questionWord = /\b(how many|how much|what|who|when|where|why|which)\b/.exec(english)?.[1];
  const rest = questionWord
    ? english
        .replace(new RegExp(`\\b${questionWord}\\b`), ' ')
        .replace(/ +/g, ' ')
        .trim()
    : english;
  const front =
    questionWord === 'what' && /^\S+(?: \S+)? (?:bought|sold|opened|launched|closed)/.test(rest)
      ? 'what did'
      : questionWord;
  return (front ? `${front} ${rest}` : rest).replace(
    /\bwhat did (.+?) (bought|sold|opened|launched|closed)\b/,
    (_, who: string, verb: string) =>
      `what did ${who} ${{ bought: 'buy', sold: 'sell', opened: 'open', launched: 'launch', closed: 'close' }[verb]}`,
  );
}

const SCRIPTS: readonly (readonly [UnreadLanguage, RegExp])[] = [
  ['ta', /\p{Script=Tamil}/gu],
  ['te', /\p{Script=Telugu}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['gu', /\p{Script=Gujarati}/gu],
  ['kn', /\p{Script=Kannada}/gu],
  ['ml', /\p{Script=Malayalam}/gu],
  ['pa', /\p{Script=Gurmukhi}/gu],
  ['ur', /\p{Script=Arabic}/gu],
];

/** The language of a text that is not read; null for English and Hindi. */
export function unreadLanguage(text: string): UnreadLanguage | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const read = text.match(/[\p{Script=Latin}\p{Script=Devanagari}]/gu)?.length ?? 0;
  if (letters > 0 && read < letters / 2)
    return SCRIPTS.find(([, script]) => (text.match(script)?.length ?? 0) > (letters - read) / 2)?.[0] ?? 'other';
  return new RegExp(MARATHI.source, 'u').test(text) ? 'mr' : null;
}

const ANSWERS: Readonly<Record<UnreadLanguage, string>> = {
  ta: 'நான் ஆங்கிலத்தில் மட்டுமே படிக்கிறேன். தயவுசெய்து உங்கள் கேள்வியை ஆங்கிலத்தில் கேளுங்கள்.',
  te: 'నేను ఇంగ్లీష్ మాత్రమే చదువుతాను. దయచేసి మీ ప్రశ్నను ఇంగ్లీష్‌లో అడగండి.',
  bn: 'আমি ইংরেজি পড়ি। অনুগ্রহ করে আপনার প্রশ্নটি ইংরেজিতে করুন।',
  mr: 'मी इंग्रजी वाचतो. कृपया तुमचा प्रश्न इंग्रजीत विचारा.',
  gu: 'હું અંગ્રેજી વાંચું છું. કૃપા કરીને તમારો પ્રશ્ન અંગ્રેજીમાં પૂછો.',
  kn: 'ನಾನು ಇಂಗ್ಲಿಷ್ ಓದುತ್ತೇನೆ. ದಯವಿಟ್ಟು ನಿಮ್ಮ ಪ್ರಶ್ನೆಯನ್ನು ಇಂಗ್ಲಿಷ್‌ನಲ್ಲಿ ಕೇಳಿ.',
  ml: 'ഞാൻ ഇംഗ്ലീഷ് വായിക്കുന്നു. ദയവായി നിങ്ങളുടെ ചോദ്യം ഇംഗ്ലീഷിൽ ചോദിക്കുക.',
  pa: 'ਮੈਂ ਅੰਗਰੇਜ਼ੀ ਪੜ੍ਹਦਾ ਹਾਂ। ਕਿਰਪਾ ਕਰਕੇ ਆਪਣਾ ਸਵਾਲ ਅੰਗਰੇਜ਼ੀ ਵਿੱਚ ਪੁੱਛੋ।',
  ur: 'میں انگریزی پڑھتا ہوں۔ براہ کرم اپنا سوال انگریزی میں پوچھیں۔',
  other: 'I read English and simple Hindi. Please ask in one of them.',
};

/** What a reader of an unread language is answered, in it and in English. */
export const unreadableAnswer = (language: UnreadLanguage | null): string =>
  language === null || language === 'other'
    ? ANSWERS.other
    : `${ANSWERS[language]} (I read English. Please ask in English.)`;

// Phrases that say in other words what the rules read.

/** Who takes over at a company, or as its chief, takes a seat and buys nothing. */
const TAKES_SEAT = /\b(?:tak(?:e|es|en|ing)|took) over (?=(?:at|as)\b)/g;
/** A company reports by fiscal year. */
const FARED_LAST_YEAR =
  /\b(how (?:did|has|have) .*\b(?:do|done|fare|fared|perform|performed)\b.* )(?:last|the past) year\b/;
/** "The weekly digest" is of the last seven days. */
const EVERY: Readonly<Record<string, string>> = {
  daily: 'last 24 hours',
  weekly: 'last 7 days',
  monthly: 'last 30 days',
};
const PERIODICAL = /\b(daily|weekly|monthly) (digest|summary|update|updates|round ?up|rundown|report|wrap|news)\b/;
/** "The second largest" is in the list of the two largest. */
const NTH_LARGEST = /\b(second|third|fourth|2nd|3rd|4th) (largest|biggest|highest|most|smallest|lowest)\b/;
/** "Close to 500 stores" is a number, and closes none. */
const CLOSE_TO = /\bclose to (?=(?:rs |usd )?\d|(?:a|an|the|its|their|half|double)\b)/g;
/** A question in lower case, with phrases that the rules do not read in words that they do. */
export const rephrased = (text: string): string =>
  text
    .replace(TAKES_SEAT, 'joined ')
    .replace(CLOSE_TO, 'about ')
    .replace(FARED_LAST_YEAR, '$1last fiscal year')
    .replace(NTH_LARGEST, (_, place: string, most: string) => `top ${(NTH[place] ?? 0) + 1} ${most}`)
    .replace(PERIODICAL, (_, every: string, what: string) => `${what} in the ${EVERY[every]}`)
    .replace(/ (?:per|a|each|every) (?:year|annum)$/, '')
    .replace(/ +/g, ' ')
    .trim();
