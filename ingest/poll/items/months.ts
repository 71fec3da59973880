/** Names of months, English and Hindi, by their first letters. */
const ENGLISH = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const HINDI: Record<string, number> = {
  जनवरी: 1,
  फरवरी: 2,
  फ़रवरी: 2,
  मार्च: 3,
  अप्रैल: 4,
  मई: 5,
  जून: 6,
  जुलाई: 7,
  अगस्त: 8,
  सितंबर: 9,
  सितम्बर: 9,
  अक्टूबर: 10,
  अक्तूबर: 10,
  नवंबर: 11,
  नवम्बर: 11,
  दिसंबर: 12,
  दिसम्बर: 12,
};

/** The number of a month from 1, or null for another word. */
export function monthNumber(word: string): number | null {
  const english = ENGLISH.indexOf(word.slice(0, 3).toLowerCase());
  return english >= 0 ? english + 1 : (HINDI[word.normalize('NFC')] ?? null);
}
