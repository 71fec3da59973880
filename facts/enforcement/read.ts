/** What a regulator or court did, read from the words of a headline; the regulator also from the summary. */

import type { Understanding } from '../../schemas/story.ts';
import { factReading, proposed } from '../item-facts.ts';
import type { Action, Enforcement, EnforcementStatus } from './fields.ts';

/** Regulators and courts; the first that a text names counts. Short forms are read as they are written, in capitals. */
const REGULATORS: readonly (readonly [RegExp, string])[] = [
  [/\bSupreme Court\b|\bSC\b/, 'Supreme Court'],
  [/\bNCLAT\b/, 'NCLAT'],
  [/\bNCLT\b/, 'NCLT'],
  [/\bNGT\b|\bGreen Tribunal\b/, 'NGT'],
  [/\bCCPA\b|\bconsumer protection authority\b/i, 'CCPA'],
  [/\bNCDRC\b|\bconsumer (?:commission|forum|court|disputes? \w+ commission)\b/i, 'Consumer commission'],
  [/\bCCI\b|\b[Cc]ompetition [Cc]ommission\b/, 'CCI'],
  [/\bFSSAI\b|\b[Ff]ood [Ss]afety (?:and [Ss]tandards )?[Aa]uthority\b/, 'FSSAI'],
  [/\bSEBI\b|\bSebi\b/, 'SEBI'],
  [/\bRBI\b|\bReserve Bank\b/, 'RBI'],
  [/\bSFIO\b/, 'SFIO'],
  [/\bED\b|\bEnforcement Directorate\b/, 'Enforcement Directorate'],
  [/\bCBI\b/, 'CBI'],
  [/\bDGGI\b|\b[CS]?GST (?:department|authorit\w+|officials?|officers?|council|intelligence)\b/i, 'GST authorities'],
  [/\bDRI\b|\b[Cc]ustoms\b/, 'Customs'],
  [/\b(?:income[- ]tax|I-T) (?:department|dept|officials?|authorit\w+)\b/i, 'Income tax department'],
  [/\bBIS\b|\bBureau of Indian Standards\b/, 'BIS'],
  [/\blegal metrology\b/i, 'Legal metrology'],
  [/\bASCI\b|\bAdvertising Standards Council\b/, 'ASCI'],
  [/\bCDSCO\b|\bDCGI\b|\b[Dd]rug(?:s)? [Cc]ontroller\b/, 'Drug controller'],
  [/\b(?:US ?|USF)FDA\b|\bUS Food and Drug\b/, 'US FDA'],
  [/\bFDA\b|\bfood and drugs? administration\b/i, 'State FDA'],
  [/\bDPIIT\b/, 'DPIIT'],
  [/\bDGFT\b/, 'DGFT'],
  [/\bNPPA\b/, 'NPPA'],
  [/\bMeitY\b/i, 'MeitY'],
  [/\bMCA\b|\bregistrar of companies\b/i, 'MCA'],
  [/\bpollution control (?:board|committee)\b/i, 'Pollution control board'],
  [
    /\bBMC\b|\bBBMP\b|\bMCD\b|\bGHMC\b|\b(?:municipal|civic) (?:corporation|body|council|authorit\w+)\b/i,
    'Municipal body',
  ],
  [/\bexcise (?:department|dept|officials?)\b/i, 'Excise department'],
  [/\bfood safety (?:department|dept|officials?|officers?|wing)\b/i, 'Food safety department'],
  [/\bpolice\b|\bFIR\b/i, 'Police'],
  [/\btribunal\b/i, 'Tribunal'],
  [/\bcourt\b/i, 'Court'],
  [/\bministry\b/i, 'Ministry'],
  [/\b(?:government|govt|centre|parliament|lok sabha|rajya sabha|cabinet)\b/i, 'Government'],
];
/** `Delhi High Court`, `Bombay HC`; the courts as india.gov.in lists them. */
const HIGH_COURT =
  /\b(?:(Allahabad|Andhra Pradesh|Bombay|Calcutta|Chhattisgarh|Delhi|Gauhati|Gujarat|Himachal Pradesh|Jammu and Kashmir|Jharkhand|Karnataka|Kerala|Madhya Pradesh|Madras|Manipur|Meghalaya|Orissa|Patna|Punjab (?:and|&) Haryana|Rajasthan|Sikkim|Telangana|Tripura|Uttarakhand) )?(?:High Court|HC)\b/;

/** `IT Ministry`, `Ministry of Consumer Affairs`. */
const MINISTRY =
  /\b(?!(?:The|Union|Central|A|By|In) )(\p{Lu}[\p{L}-]*(?: (?:and |& )?\p{Lu}[\p{L}-]*){0,3} [Mm]inistry)\b|\b([Mm]inistry of \p{Lu}[\p{L}-]*(?:(?:,| and| &)? \p{Lu}[\p{L}-]*){0,4})/u;

/** The regulator or court that a text names; null for none. */
function regulatorIn(text: string): string | null {
  const court = HIGH_COURT.exec(text);
  const [form, name] = REGULATORS.find(([one]) => one.test(text)) ?? [];
  // The Supreme Court hears appeals from a High Court: the higher one is named.
  if (court && name !== 'Supreme Court') return court[1] ? `${court[1]} High Court` : 'High Court';
  if (name === 'Ministry')
    return (
      MINISTRY.exec(text)
        ?.slice(1)
        .find(Boolean)
        ?.replace(/^m|(?<= )m/, 'M') ?? name
    );
  return form ? (name ?? null) : null;
}

/**
 * Whether a text names a regulator.
 * @param regulator as `clarity` writes it in the enforcement table, such as `FSSAI`
 */
export const namesRegulator = (text: string, regulator: string): boolean =>
  text.includes(regulator) || REGULATORS.some(([form, name]) => name === regulator && form.test(text));

/** What was done, by the words of a headline; the first that fits. */
const ACTION_WORDS: readonly (readonly [Action, RegExp])[] = [
  ['recall', /\brecall(?:s|ed|ing)?\b/i],
  ['raid', /\b(?:raid(?:s|ed)?|search(?:es)? (?:at|premises)|seiz\w+|confiscat\w+)\b/i],
  ['penalty', /\b(?:fine[ds]?|penal\w+|told to pay|ordered to pay|compensation)\b/i],
  ['licence', /\b(?:licen[cs]e|registration|permit)\b/i],
  ['ban', /\b(?:bans?|banned|prohibit\w*|barred|bars|restrain\w*|seal(?:s|ed)|shut down)\b/i],
  ['notice', /\b(?:notices?|show[- ]cause|summon\w*)\b/i],
  ['investigation', /\b(?:probe[ds]?|investigat\w+|inspect\w*|scrutin\w+|scanner|booked|FIR)\b/i],
  [
    'court case',
    /\b(?:sue[ds]?|lawsuits?|challeng(?:es?|ed|ing)|pleas?|petitions?|appeals?|courts?|HC|SC|NCLAT|NCLT|tribunal|verdict)\b/i,
  ],
  ['approval', /\b(?:nod|approv\w+|clears?|cleared|clearance|go-ahead)\b/i],
  ['tax', /\b(?:gst|tax(?:es)?|duty|duties|excise|cess|tariffs?)\b/i],
  ['order', /\b(?:orders?|ordered|directs?|directed|asks|asked|warns?|warned|advisory)\b/i],
];
/** By the label of the signal, where no word says it. */
const ACTION_OF_KIND: Readonly<Record<string, Action>> = {
  Recall: 'recall',
  Penalty: 'penalty',
  Notice: 'notice',
  'Court case': 'court case',
  Approval: 'approval',
  Tax: 'tax',
};

/** How far it is, by the words of a headline; the later step comes first. */
const STATUS_WORDS: readonly (readonly [EnforcementStatus, RegExp])[] = [
  [
    'proposed',
    /\b(?:draft|propos\w+|mulls?|(?<!\d )may(?= [a-z])|might|could|likely|considers?|considering|weighs?|plans? to|to (?:ban|fine|probe|raise|hike|cut))\b/i,
  ],
  ['stayed', /\b(?:stays|stayed|interim relief|stay on|put on hold)\b/i],
  [
    'set aside',
    /\b(?:quash\w*|sets? aside|overturn\w*|struck down|strikes down|revok\w+|withdraws?(?! (?:its |the )?(?:plea|petition|appeal|case|suit|challenge))|withdrawn)\b/i,
  ],
  ['settled', /\b(?:settles?|settled|settlement)\b/i],
  [
    'appealed',
    /\b(?:appeals?|challeng\w+(?=.{0,60}\b(?:order|verdict|ruling|judge?ment|decision|notice|demand|fine|penalty)\b)|moves? (?:the )?(?:high court|supreme court|hc|sc|nclat))\b/i,
  ],
  [
    'decided',
    /\b(?:fine[ds]|fine of|impos\w+|slaps?|orders?|ordered|bans|banned|upholds?|upheld|dismiss\w*|ruled|ruling|verdict|clears?|cleared|approv(?:es|ed)|gets? nod|recalls|recalled|cancel\w*|suspend\w*|told to pay|notifies|notified)\b/i,
  ],
  [
    'pending',
    /\b(?:notices?|show[- ]cause|summon\w*|probe[ds]?|investigat\w+|raid(?:s|ed)?|sue[ds]?|pleas?|petitions?|seeks?|hearing|files?|filed)\b/i,
  ],
];

/** Who went to court gave up: nothing is pending, and nothing was decided. */
const WITHDRAWN =
  /\b(?:withdr(?:aws?|ew|awn)|drop(?:s|ped)?|takes? back)\b.{0,30}\b(?:plea|petition|appeal|case|suit|challenge|complaint)\b|\b(?:plea|petition|appeal|case|suit|challenge|complaint)\b.{0,30}\bwithdrawn\b/i;

type Words = Pick<Understanding, 'headline' | 'kind' | 'summary'>;

/** Reads regulator, action and status from the headline, label and summary of a move of rules. */
export const readEnforcement = ({ headline, kind, summary }: Words): Omit<Enforcement, 'firm'> => ({
  regulator: regulatorIn(headline) ?? regulatorIn(summary ?? ''),
  action: ACTION_WORDS.find(([, form]) => form.test(headline))?.[0] ?? ACTION_OF_KIND[kind ?? ''] ?? 'rule',
  status: WITHDRAWN.test(headline) ? null : (STATUS_WORDS.find(([, form]) => form.test(headline))?.[0] ?? null),
});

/**
 * The enforcement that a text states; null for a move of another kind. Stories before 2.0 have none stored: there it is read
 * from the words.
 */
export function enforcementOf(
  text: Pick<Understanding, 'brands'> & Partial<Words & Pick<Understanding, 'move' | 'enforcement'>>,
): Enforcement | null {
  const { move, headline, kind = null, summary = null, brands, enforcement } = text;
  if (move !== 'rules' || headline === undefined) return null;
  const firm = brands.find(({ role }) => role === 'primary')?.name ?? null;
  return enforcement ?? { ...readEnforcement({ headline, kind, summary }), firm };
}

/** Help and relief for many, and what somebody asks a regulator to do: neither is enforced against anybody. */
const NO_ENFORCEMENT =
  /\b(?:schemes?|incentives?|subsid(?:y|ies)|exempt(?:s|ed|ion)?|relax(?:es|ed|ation)?|eases?|eased|opens? up|boosts?|doubles? down)\b|\b(?:seeks?|urges?|demands?|wants?|calls? for)\b.{0,40}\b(?:probe|scrutiny|investigation|inquiry|action|ban)\b/i;
/** What somebody asks of a regulator: `asks Sebi to examine`. The words after the verb name it. */
const REQUEST = /\b(?:asks?|urges?|requests?|petitions|writes? to|appeals? to|complains? to) (?:the )?(.{2,40})/i;

const isRequest = (headline: string): boolean => {
  const [, whom] = REQUEST.exec(headline) ?? [];
  return whom !== undefined && regulatorIn(whom.split(' ').slice(0, 3).join(' ')) !== null;
};

export const enforcementReading = factReading<Enforcement>({
  // A move of rules has one entry, whatever it says.
  leastConfidence: null,
  names: ['firm'],
  settles: {
    regulator: (value, words) => (typeof value === 'string' && namesRegulator(words, value) ? value : undefined),
  },
  read: ({ move, headline, label, summary, primary }) =>
    move === 'rules' && !NO_ENFORCEMENT.test(headline) && !isRequest(headline)
      ? proposed([{ ...readEnforcement({ headline, kind: label, summary }), firm: primary[0]?.name ?? null }])
      : [],
  why: ({ action, regulator, status }) => [action, [regulator, status].filter(Boolean).join(', ')],
});
