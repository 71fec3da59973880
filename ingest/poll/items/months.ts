/** Names of months: English by their first letters, those of Indian languages in full and as they are shortened. */
const ENGLISH = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Hindi, Marathi, Bengali, Tamil, Telugu, Gujarati, Kannada, Malayalam, Punjabi, Odia. */
const LANGUAGES = ['hi', 'mr', 'bn', 'ta', 'te', 'gu', 'kn', 'ml', 'pa', 'or'];

/** Spellings of papers that differ from those of the Unicode locale data, by month from 1. */
const VARIANTS: Record<number, string> = {
  1: 'जनवरी जानेवारी জানুয়ারি জানুয়ারী ஜனவரி జనవరి જાન્યુઆરી ಜನವರಿ',
  2: 'फरवरी फ़रवरी फेब्रुवारी फेब्रुवारि ফেব্রুয়ারি ফেব্রুয়ারী பிப்ரவரி పిబ్రవరి ફેબ્રુઆરી ಫೆಬ್ರವರಿ ಫೆಬ್ರುವರಿ',
  3: 'मार्च মার্চ மார்ச் మార్చి માર્ચ ಮಾರ್ಚ್ ಮಾರ್ಚಿ',
  4: 'अप्रैल एप्रिल এপ্রিল ஏப்ரல் ఏప్రిల్ એપ્રિલ ಏಪ್ರಿಲ್ ಎಪ್ರಿಲ್',
  5: 'मई मे মে மே మే મે ಮೇ',
  6: 'जून জুন ஜூன் జూన్ જૂન ಜೂನ್',
  7: 'जुलाई जुलै জুলাই ஜூலை జూలై జులై જુલાઈ જુલાઇ ಜುಲೈ',
  8: 'अगस्त ऑगस्ट আগস্ট আগষ্ট ஆகஸ்ட் ఆగస్టు ఆగస్ట్ ઑગસ્ટ ઓગસ્ટ ಆಗಸ್ಟ್ ಆಗಸ್ಟ',
  9: 'सितंबर सितम्बर सप्टेंबर सप्टेम्बर সেপ্টেম্বর செப்டம்பர் సెప్టెంబర్ సెప్టెంబరు સપ્ટેમ્બર ಸೆಪ್ಟೆಂಬರ್',
  10: 'अक्टूबर अक्तूबर ऑक्टोबर অক্টোবর அக்டோபர் అక్టోబర్ అక్టోబరు ઑક્ટોબર ઓક્ટોબર ಅಕ್ಟೋಬರ್',
  11: 'नवंबर नवम्बर नोव्हेंबर নভেম্বর நவம்பர் నవంబర్ నవంబరు નવેમ્બર ನವೆಂಬರ್',
  12: 'दिसंबर दिसम्बर डिसेंबर ডিসেম্বর டிசம்பர் డిసెంబర్ డిసెంబరు ડિસેમ્બર ಡಿಸೆಂಬರ್',
};

const key = (word: string): string => word.normalize('NFKC').toLowerCase().replace(/\.$/, '');

let names: ReadonlyMap<string, number> | null = null;

/** Made at first use: asking for some 200 names takes a few milliseconds. */
function indianNames(): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const language of LANGUAGES)
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' });
      const standing = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month++) {
        const day = new Date(Date.UTC(2026, month - 1, 15));
        const within = standing.formatToParts(day).find(({ type }) => type === 'month')?.value;
        for (const name of [format.format(day), within ?? ''])
          if (/^\P{ASCII}/u.test(name)) known.set(key(name), month);
      }
    }
  for (const [month, spellings] of Object.entries(VARIANTS))
    for (const name of spellings.split(' ')) known.set(key(name), Number(month));
  return known;
}

/** The number of a month from 1, or null for another word. */
export function monthNumber(word: string): number | null {
  const english = ENGLISH.indexOf(word.slice(0, 3).toLowerCase());
  if (english >= 0) return english + 1;
  names ??= indianNames();
  return names.get(key(word)) ?? null;
}
