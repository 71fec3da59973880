/** The words of a question that are left when what was understood is taken away: evidence has to meet them. */
import { stem } from '../../ingest/understand/model/stem.ts';

/** Words that ask, join or fill, and those that every signal of the subject is about. */
const EMPTY = new Set(
  (
    'a an the this that these those there here it its they them their he she his her we us our you your i me my mine ' +
    'is are was were be been being am do does did done has have had having can could may might would will shall ' +
    'and or but if of in on at by to from for with about into over under between through during as than then ' +
    'what whats which who whom whose when where why how many much often ever any some all each every both either ' +
    'tell show give list find get got let know please summarise summarize summary explain describe overview update updates ' +
    'happen happened happening going doing make made makes take took go went come came coming say says said see seen ' +
    'new news newest latest recent recently lately currently now today so far just yet still already most least more less fewer ' +
    'biggest largest highest top main key big large many number count total totals altogether overall together ' +
    'indian india indias retail retailer retailers brand brands company companies firm firms business businesses player players sector industry market consumer ' +
    'move moves signal signals story stories report reports reported record records announcement announcements announced announce development developments activity activities ' +
    'not no also only too very up down out off again same other others another else one ones thing things anything everything ' +
    'vs versus compare compared comparison against relative difference between side ' +
    'inside within across around since until till before after last past previous week weeks month months year years quarter quarters day days time times period ' +
    'growth yoy net gross annual quarterly ' +
    'plan plans planning planned next add adds adding added first put puts city cities near nearby pay pays paid ask asks asked ' +
    'date exactly actually really ok okay hi hello hey thanks thank kind kinds type types sort place places s t re ve ll'
  ).split(' '),
);

/** Words that say the same in headlines of the trade, each group by one stem. */
const GROUPS = [
  'shop store outlet showroom door cafe restaurant boutique branch',
  'shut close closure exit wind shutter curtain lose vacate',
  'open launch debut inaugurate unveil enter start begin',
  'raise secure bag get fund funding fundraise mop net pick investment invest infusion round cheque money',
  'money crore lakh million rs',
  'buy acquire acquisition purchase takeover snap bought buyout',
  'appoint appointment hire join name onboard rope elevate promote head lead succeed',
  'resign quit leave exit step depart departure',
  'ceo chief executive boss',
  'cfo finance financial',
  'cmo marketing',
  'cto technology',
  'coo operating operations',
  'chro human people hr',
  'profit earning earn income pat',
  'revenue sale turnover topline business',
  'price pricing cost costlier expensive hike',
  'rule regulation regulator law order norm policy mandatory',
  'fine penalty penalise',
  'court lawsuit case legal dispute trademark',
  'deliver delivery',
  'partner partnership tie collaborate collaboration team alliance',
  'ipo listing list public',
  'merge merger union',
  'ambassador face sign',
  'jewellery jeweller jewelry gold diamond',
  'beauty cosmetic makeup skincare',
  'footwear shoe sneaker',
  'grocery food supermarket',
  'phone smartphone mobile',
  'pet dog cat',
  'sell sold sale seller offload divest stake',
  'cut lower reduce slash cheaper',
  'build plant factory facility unit',
  'warehouse logistics distribution hub',
  'lose suspend cancel revoke cost',
  'slow slower slowdown pause',
  'network count tally total',
  'clear approve nod allow permit',
  'grow rise jump climb increase gain surge',
  'fall drop slip decline shrink dip',
].map((group) => group.split(' ').map(stem));

const groupOf = new Map<string, number[]>();
for (const [index, group] of GROUPS.entries())
  for (const word of group) groupOf.set(word, [...(groupOf.get(word) ?? []), index]);

/** A word that carries meaning. */
export const isFull = (word: string): boolean => !EMPTY.has(word) && (word.length > 1 || /\d/.test(word));

/** The stems that meet a word: its own and those of words that say the same. */
export function meeting(word: string): ReadonlySet<string> {
  const own = stem(word);
  return new Set([own, ...(groupOf.get(own) ?? []).flatMap((index) => GROUPS[index] ?? [])]);
}

const WORD = /[\p{L}\p{N}]+/gu;

/** The stems of a text. */
export const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f'’]/g, '')
        .toLowerCase()
        .matchAll(WORD),
    ].map(([word]) => stem(word)),
  );

/** Whether a text meets a word, by itself or by one that says the same. */
export function meets(stems: ReadonlySet<string>, word: string): boolean {
  for (const one of meeting(word)) if (stems.has(one)) return true;
  return false;
}
