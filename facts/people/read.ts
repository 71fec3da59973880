/** Appointments, exits and promotions: who, what role, at which company, in which direction, and from where. */

import { findDay } from '../../language/dates.ts';
import { fold, sliceOf } from '../../language/tokens.ts';
import { isCommon } from '../../language/words.ts';
import { factReading, proposed } from '../item-facts.ts';
import type { Part, Reading } from '../text/item-reading.ts';
import { negationOf } from '../text/statements.ts';
import type { Appointment } from './fields.ts';
import { AMBASSADOR, findRole, type KnownCompany, readSeat, SHORT_SEAT, splitSeat } from './seats.ts';

const COMPANY = "(\\p{Lu}[\\p{L}\\p{N}&'’.-]*(?: (?:\\p{Lu}[\\p{L}\\p{N}&'’.-]*|&)){0,3})";
const MONTHS = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;
const FROM = new RegExp(`\\b[Ff]rom ${COMPANY}(?=\\s+(?:[Tt]o|[Aa]s|[Ii]n)\\b|[,.;]|$)`, 'u');
const FORMER_OF = new RegExp(
  `\\b(?:[Ff]ormer|[Ee]x)[\\s-]+${COMPANY}(?:['’]s)? (?:${SHORT_SEAT}|[Ee]xecutive|[Ee]xec|[Vv]eteran|[Hh]ead|[Cc]hief|[Ll]eader|[Aa]lum|[Dd]irector|[Oo]fficer|[Pp]resident|[Vv][Pp])`,
  'u',
);

/** Finds the employer that a person comes from: `Taco Bell's Gauri Dhillon`, `from Skechers to`, `former Myntra executive`. */
export function findFormerEmployer(text: string, person: string): string | null {
  const owner = new RegExp(`${COMPANY}['’]s $`, 'u').exec(text.slice(0, Math.max(0, text.indexOf(person))))?.[1];
  const employer = owner ?? FROM.exec(text)?.[1] ?? FORMER_OF.exec(text)?.[1] ?? null;
  return employer && !MONTHS.test(employer) ? employer : null;
}

/** `Quits Swiggy to join Zepto`: where somebody goes. */
const JOINS_NEXT = new RegExp(`\\b(?:to|will) [Jj]oin ${COMPANY}`, 'u');

// Appointments, exits and promotions: who, what role, at which company, in which direction.

const PERSON_NAME =
  "(?:\\p{Lu}[\\p{L}'’]+|\\p{Lu}\\.?(?:\\s?\\p{Lu}\\.?){0,2})(?:\\s(?:\\p{Lu}[\\p{L}'’-]+|\\p{Lu}{1,3}\\b\\.?|[dD]e|van|al)){1,3}";
const FORMER =
  '(?:its\\s+|new\\s+|the\\s+)?(?:(?:former|ex)[-\\s][^.;:]{0,60}?(?:executive|exec|veteran|head|leader|chief|boss|Chief|MD|Managing Director|managing director|vice president|Vice President|CEO|CFO|COO|CMO|Head|Executive|Exec|Veteran|Officer|Director|VP|Founder|Cofounder|leader|alum|president|President)\\s+|(?:veteran|industry veteran|Veteran|Retail Veteran)\\s+)?';
const JOIN =
  '(?:[Aa]ppoints?|[Aa]ppointed|[Nn]ames?|[Nn]amed|[Hh]ires?|[Hh]ired|[Rr]opes? [Ii]n|[Rr]oped in|[Oo]nboards?|[Oo]nboarded|[Ww]elcomes?|[Ww]elcomed|[Bb]rings? [Ii]n|[Bb]ringing in|[Ii]nducts|[Dd]esignates|[Tt]aps|[Rr]eappoints|[Ee]levates?|[Ee]levated|[Pp]romotes?|[Pp]romoted)';
const LEFT =
  '(?:[Ss]teps?|[Ss]tepped|(?:is |are )?[Ss]tepping) (?:[Dd]own|[Aa]side|[Aa]way|[Bb]ack)|[Rr]esigns?|[Rr]esigned|[Qq]uits?|[Ee]xits?|[Ee]xited|[Ll]eaves?|[Ll]eft|[Dd]eparts?|[Mm]oves? [Oo]n|[Rr]etires?|[Rr]etired|[Aa]nnounces [Ee]xit|[Dd]emits? [Oo]ffice|[Rr]elinquish(?:es)?|[Cc]alls? [Ii]t (?:[Aa] [Dd]ay|[Qq]uits)|[Pp]uts? [Ii]n (?:[Hh]is |[Hh]er )?[Pp]apers|[Bb]ows? [Oo]ut|[Ww]alks? [Oo]ut|[Ss]ays? [Gg]oodbye|[Hh]angs? [Uu]p';

const u = (pattern: string): RegExp => new RegExp(pattern, 'u');
const APPOINTS = u(`(${JOIN})\\s+${FORMER}(${PERSON_NAME})`);
const JOINS = u(
  `(${PERSON_NAME})\\s+(?:[Jj]oins|[Jj]oined|[Tt]o [Jj]oin|[Ii]n [Tt]alks [Tt]o [Jj]oin|has joined)\\s+([^,.;:]{2,50}?)\\s+(?:as|As)\\s`,
);
const CHARGE = u(
  `(${PERSON_NAME})\\s+(?:(?:has |will |is |set to |to |[Ss]et [Tt]o |[Tt]o )*(?:[Tt]akes?|[Tt]aking|[Tt]ook)\\s+(?:[Oo]ver|[Cc]harge))`,
);
const APPOINTED = u(
  `(${PERSON_NAME})\\s+(?:has been |was |is |have been |as been )?(?:[Aa]ppointed|[Nn]amed|[Ee]levated|[Pp]romoted|[Hh]ired|[Mm]oves [Uu]p)\\s`,
);
/** With the seat between commas: `Asha Rane, CTO of Nykaa, steps down`. */
const LEAVES = u(
  `(${PERSON_NAME})(?:,\\s+([^,.;:]{2,60}),)?\\s+(?:has |have |will |is |had |reportedly |also |recently |set |[Tt]o )*(${LEFT})`,
);
const REPLACES = u(
  `(?:replaces?|replacing|succeeds?|succeeding|tak(?:e|es|ing) over from|took over from|successor to)\\s+(?:the |former |outgoing |incumbent )*(?:[A-Z]{2,4}\\s)?(${PERSON_NAME})`,
);

/** `Priya Nair to succeed Rohit Jawa`: who comes. */
const SUCCEEDS = u(`(${PERSON_NAME})\\s+(?:to |will )?(?:[Ss]ucceeds?|[Rr]eplaces?)\\s`);

/** `To run`, `to lead`: who takes over a company or a part of it. */
const TO_LEAD = u(
  `(${PERSON_NAME})\\s+(?:is\\s+)?(?:set\\s+)?[Tt]o (?:[Rr]un|[Ll]ead|[Hh]ead|[Hh]elm|[Ss]pearhead)\\s+([^.;:]{2,60})`,
);
/** `Hands technology to Faisal Qureshi`, `adds Meher Daruwala to board`, `picks insider Lavanya Pillai to run watches`. */
const GIVEN = u(
  `(?:[Hh]ands .{3,30}? [Tt]o|[Aa]dds|[Pp]icks(?: [Ii]nsider)?)\\s+(${PERSON_NAME})(?:\\s+[Tt]o (?:(?:[Ii]ts |[Tt]he )?([Bb]oard)|(?:[Rr]un|[Ll]ead|[Hh]ead) (.{2,50}))|$)`,
);

/** `Moves from Flipkart to Lenskart as technology chief`. */
const MOVES_TO = u(
  `(${PERSON_NAME})\\s+[Mm]oves? [Ff]rom [^,.;:]{2,40}? [Tt]o ([^,.;:]{2,40}?)(?: [Aa]s [^,.;:]{2,70})?$`,
);
const BECOMES = u(`(${PERSON_NAME})\\s+(?:[Bb]ecomes|[Bb]ecame|[Tt]o [Bb]ecome)\\s`);
/** `Strengthens its team with Asha Rane as CEO`, `brings Vikram Sule on board as CIO`. */
const WITH_AS = u(
  `(?:\\b[Ww]ith|[Bb]rings|[Gg]ets|[Aa]dds)\\s+${FORMER}(${PERSON_NAME})\\s+(?:[Oo]n [Bb]oard\\s+)?[Aa]s\\s`,
);
/** `Director's seat goes to Shreya Chatterjee`, `gets new finance chief in Neville Mistry`. */
const GOES_TO = u(
  `(?:[Rr]ole|[Jj]ob|[Ss]eat|[Pp]ost)\\s[^.;:]{0,40}?[Gg]oes [Tt]o (${PERSON_NAME})|[Gg]ets .{3,40}? [Ii]n (${PERSON_NAME})$`,
);

const PAIR = u(
  `(${PERSON_NAME})(?:,| and| And)\\s+(?:[A-Z]{2,4}\\s)?(${PERSON_NAME})\\s+(?:have |has |to |both )*(?:${LEFT})`,
);
const NOUN = u(`[Ww]ith\\s+(${PERSON_NAME})\\s+[Aa]ppointment`);
const REMAINS = u(
  `(${PERSON_NAME})\\s+to\\s+(?:remain|continue|stay)\\s+(?:on|as|in)\\s+(?:the\\s+)?(?:board|mentor|advisor|non-executive)`,
);

const CAP_STOP =
  /^(?:C[A-Z]{1,2}O|CHRO|CISO|Chairperson|Chairwoman|Retail|India|Indian|Quick|Commerce|New|Chief|Business|Officer|Former|Ex|Senior|Vice|President|Head|Director|Managing|MD|Leadership|Top|Group|Brand|Brands|Food|Foods|Fashion|Beauty|Veteran|Executive|Independent|Additional|Two|Three|Four|Next|Global|The|For|And|With|In|To|As|At|From|Company|Startup|Board|Team|Growth|Leaders?|Role|Roles|Core|Digital|Marketing|Country|Regional|National|General|Chairman|Founders?|Cofounders?|Promoters?|Employees?|Staff|Co|Of|Elevates?|Promotes?|Appoints?|Names|Hires?|Onboards?|Welcomes?|Inducts?|Ropes|Brings|Taps|South|North|East|West|Asia|Pacific|Middle|Europe|Independent|Appointment|Several|Key|Multiple|Executive|Roles|Exec|VP|SVP|AVP|EVP|Cofounder|Actor|Actress|Cricketer|Singer|Commercial|Operating|Financial|Finance|Technology|Information|Product|People|Human|Supply|Creative|Strategy|Sales|Legal|Interim|Deputy|Joint|Boss|Insider|Duo|Ltd|Limited|Foods|Retailer|Startup|Platform|Ambassador|Industry|Leader|Consumer|Beauty|Jewellery|Jewellers|Capital|Ventures|Partners|Amid|After|But|While)$/;

/** `Ms`, `Dr.`: how a person is addressed is no part of the name. */
const TITLE = /\b(?:(?:Mr|Mrs|Ms|Dr|Shri|Smt|Prof|Adv|Capt|Col)\.?\s+)+(?=\p{Lu}[\p{L}.]*\s\p{Lu})/gu;

/** The name of a person, without business words around it; null unless two to four words are left. */
function personName(text: string): string | null {
  const all = text
    .replace(/[’']s$/u, '')
    .trim()
    .split(/\s+/);
  const words = all.slice(all.findLastIndex((word, index) => CAP_STOP.test(word) && all.length - index > 2) + 1);
  while (words.length > 2 && CAP_STOP.test(words.at(-1) ?? '')) words.pop();
  if (words.length < 2 || words.length > 4 || words.some((word) => CAP_STOP.test(word))) return null;
  return words.join(' ').replace(/[’']s$/u, '');
}

/** `Taco Bell's Gauri Dhillon`: the former employer before the name. */
const POSSESSED = /^.*['’]s\s+(?=\p{Lu})/u;

/** What follows a name up to its seat: `as its`, `on board as`, `to`, a comma, or nothing. */
const BEFORE_SEAT =
  /^['’]?,?\s+(?:(?:on (?:the |its )?board|on-board)\s+)?(?:(?:(as)|to(?: the (?:role|position) of| be(?:come)?)?|of|the role of)\s+)?/i;
/** `Exits Swiggy as COO`, `takes over as CEO`, `resigns from the post of MD`: the seat after a verb. */
const AFTER_VERB =
  /^(?:\s+(?!as\b)[^\s,;:.]+){0,4}?\s+(?:as|of|from (?:the (?:post|position|role) of|his role as|her role as))\s+/i;

interface SeatAfter {
  readonly seat: string | null;
  /** `As` and something that is no seat: `as auditor`, `as its first hire`. */
  readonly other: boolean;
}

/** The seat that follows a name or a verb. */
function seatAfter(after: string, form: RegExp): SeatAfter {
  const lead = form.exec(after);
  if (!lead) return { seat: null, other: false };
  const seat = readSeat(after.slice(lead[0].length));
  return { seat, other: seat === null && lead[1] !== undefined };
}

const isSameName = (company: string, person: string): boolean =>
  company.toLowerCase() === person.toLowerCase() || company.toLowerCase().startsWith(`${person.toLowerCase()} `);

/** Whether a text names a brand, an investor or a mall where a person's name was read: `hires Morgan Stanley`. */
function isNamedThing(part: Part, person: string): boolean {
  const start = part.text.indexOf(person);
  if (start < 0) return false;
  const end = start + person.length;
  return part.mentions.some(({ first, last, brand, investor, mall }) => {
    const [from, to] = [part.tokens[first]?.start ?? 0, part.tokens[last]?.end ?? 0];
    if (!(brand || investor || mall) || from > start || to <= start) return false;
    return to >= end || (from === start && brand?.common_word !== true && brand?.category !== 'conglomerate');
  });
}

/** The companies that a text names, as it writes them, the longest first. */
function companiesIn(reading: Reading, companies: readonly string[]): KnownCompany[] {
  const mentioned = [reading.title, reading.summary].flatMap((part) =>
    part.mentions.flatMap(({ first, last, brand }) =>
      brand ? [{ written: sliceOf(part, first, last), name: brand.name }] : [],
    ),
  );
  return [...companies.map((name) => ({ written: name, name })), ...mentioned].sort(
    (one, other) => other.written.length - one.written.length,
  );
}

/** Words before the day from which a move counts. `Said on Monday that …` is the day of the news. */
const EFFECTIVE =
  /\b(?:effective|with effect|w\.?e\.?f|from|as of|starting|beginning|(?:to|will|set to) (?:demit|step|take|join|assume|retire|leave|exit|succeed|replace|start)\b[^.;]*?(?=\bon\b|\bby\b))/i;

/** The day from which a person's move counts, where the statement about that person names it. */
function findEffective(text: string, person: string, day: string | null): string | null {
  const statement = text.split(/;\s/).find((part) => part.includes(person)) ?? text;
  const from = EFFECTIVE.exec(statement);
  return from ? findDay(statement.slice(from.index), day) : null;
}

/** What a sentence says of a person. */
interface Said {
  readonly person: string | null | undefined;
  /** As the sentence words it; unset where another rule has to find it. */
  readonly seat?: string | null;
  readonly direction: Appointment['direction'];
  /** The company that the sentence says somebody joins. */
  readonly joins?: string | undefined;
  /** Somebody takes this person's seat: the seat of the one is the seat of the other. */
  readonly replaced?: boolean;
}

/**
 * Reads the people moves of a headline and its summary.
 * @param company the name of the company that the story is about; null for none
 * @param companies the names of all companies in the story
 * @returns one entry per person, in the order of the text; `effective` is a day in IST. A role that the text does not word
 *   as a seat is null; who leaves has the company that is left
 */
export function readPeople(reading: Reading, company: string | null, companies: readonly string[] = []): Appointment[] {
  if (negationOf(reading.title.text) === 'denied') return [];
  const appointments: Appointment[] = [];
  const known = companiesIn(reading, companies);
  const add = (text: string, { person, seat, direction, joins, replaced }: Said): void => {
    const name = person ? personName(person.replace(POSSESSED, '')) : null;
    if (!name || seat === AMBASSADOR || name.split(' ').every((word) => isCommon(fold(word)))) return;
    if (companies.some((other) => isSameName(other, name))) return;
    if (isNamedThing(reading.title, name) || isNamedThing(reading.summary, name)) return;
    const surname = name.split(' ').at(-1);
    const given = name.split(' ')[0];
    const same = (other: string): boolean =>
      other.split(' ')[0] === given || (other.split(' ').at(-1) === surname && other[0] === name[0]);
    const joiners = appointments.filter((each) => each.direction !== 'left' && each.role !== null);
    const taken = replaced && joiners.length === 1 ? (joiners[0]?.role ?? null) : null;
    const worded = seat ?? findRole(text, name) ?? taken;
    const { seat: role, company: of } = worded ? splitSeat(worded, known) : { seat: null, company: null };
    const index = appointments.findIndex((each) => same(each.person));
    const earlier = appointments[index];
    if (earlier) {
      // A later sentence may add the role of a person whom the headline names without one, or that who takes a seat was promoted.
      if (earlier.role === null && earlier.direction === direction) appointments[index] = { ...earlier, role };
      if (earlier.direction === 'joined' && direction === 'promoted' && earlier.from === null)
        appointments[index] = { ...earlier, direction };
      return;
    }
    const effective = findEffective(text, name, reading.day);
    // A person who is the subject of the headline is no company; one who joins another company comes from the first.
    const joined = known.find(({ written }) => written === joins)?.name;
    const at = joined ?? of ?? (company === name ? (companies.find((other) => other !== name) ?? null) : company);
    // Somebody leaves a company: without one there is nothing to say.
    if (direction === 'left' && at === null) return;
    const employer =
      direction === 'joined' ? (findFormerEmployer(text, name) ?? (joined && at !== company ? company : null)) : null;
    const from = employer === at || employer === name ? null : employer;
    const to = direction === 'left' ? (JOINS_NEXT.exec(text)?.[1] ?? null) : null;
    appointments.push({ person: name, company: at, role, direction, from, to: to === at ? null : to, effective });
  };
  for (const sentence of [
    reading.title.text,
    ...(reading.summary.text.match(/[^.!?…]+(?:\.(?!\s+\p{Lu}\p{Ll})[^.!?…]*)*/gu) ?? []).slice(0, 6),
  ]) {
    const text = sentence.replace(TITLE, '');
    for (const appointment of readSentence(text)) add(text, appointment);
  }
  return appointments;
}

/** Without one of these words nobody joins or leaves: this saves the search for names. */
const MOVES_SOMEBODY =
  /appoint|nam(?:es|ed)|hire|rop(?:es|ed)|onboard|welcom|bring|induct|designat|tap|elevat|promot|join|tak(?:es?|ing)|took|step|resign|quit|exit|lead|leav|left|depart|mov(?:es|ed)|retire|relinquish|replac|succe|remain|continue|stay|run|head|helm|spearhead|los[et]|hand|add|pick|call|put|bow|walk|say|hang|becom|goes|gets/i;
/** `Appoints one person as CFO and Asha Rane as COO`. */
const FURTHER = new RegExp(`(?:[,;]|\\s(?:and|And|&))\\s+(${PERSON_NAME})(?=[\\s,])`, 'gu');

/** Who is appointed by a sentence, and whom else it names with a seat after that. */
function readAppointed(text: string): Said[] {
  const appoints = APPOINTS.exec(text);
  const person = appoints?.[2];
  if (!appoints || !person) return [];
  const direction = /^(?:elev|promo)/i.test(appoints[1] ?? '') ? 'promoted' : 'joined';
  // The name may have taken in words of the seat: `Asha Rane Chief Business Officer`.
  const name = personName(person.replace(POSSESSED, '')) ?? person;
  const at = appoints.index + appoints[0].length - person.length;
  const after = text.slice(text.indexOf(name, at) + name.length);
  const { seat, other } = seatAfter(after, BEFORE_SEAT);
  const further = [...after.matchAll(FURTHER)].flatMap((match): Said[] => {
    const next = seatAfter(after.slice(match.index + match[0].length), BEFORE_SEAT);
    return next.seat ? [{ person: match[1], seat: next.seat, direction }] : [];
  });
  return other ? further : [{ person, seat, direction }, ...further];
}

const left = (person: string | undefined, seat: string | null = null): Said => ({ person, seat, direction: 'left' });
const joined = (person: string | undefined, seat: string | null = null, joins?: string): Said => ({
  person,
  seat,
  direction: 'joined',
  joins,
});

/** What follows a match. */
const restOf = (text: string, match: RegExpExecArray): string => text.slice(match.index + match[0].length);

/** Reads whom a sentence says to join or to leave; the same person may be found twice. */
function* readSentence(text: string): Generator<Said> {
  if (!MOVES_SOMEBODY.test(text)) return;
  const pair = PAIR.exec(text);
  if (pair) yield* [left(pair[1]), left(pair[2])];
  const noun = NOUN.exec(text);
  if (noun) yield joined(noun[1]);
  yield* readAppointed(text);
  const leaves = LEAVES.exec(text);
  if (leaves) yield left(leaves[1], leaves[2] ? readSeat(leaves[2]) : seatAfter(restOf(text, leaves), AFTER_VERB).seat);
  const remains = REMAINS.exec(text);
  if (remains) yield left(remains[1]);
  const joins = JOINS.exec(text);
  if (joins) yield joined(joins[1], readSeat(restOf(text, joins)), joins[2]);
  const charge = CHARGE.exec(text);
  if (charge) yield joined(charge[1], seatAfter(restOf(text, charge), AFTER_VERB).seat);
  const appointed = APPOINTED.exec(text);
  if (appointed)
    yield {
      person: appointed[1],
      seat: seatAfter(` ${restOf(text, appointed)}`, BEFORE_SEAT).seat,
      direction: /[Ee]levated|[Pp]romoted|[Mm]oves [Uu]p/.test(appointed[0]) ? 'promoted' : 'joined',
    };
  const withAs = WITH_AS.exec(text);
  if (withAs) {
    const seat = readSeat(restOf(text, withAs));
    if (seat) yield joined(withAs[1], seat);
  }
  const leads = TO_LEAD.exec(text);
  if (leads) yield joined(leads[1]);
  const moves = MOVES_TO.exec(text);
  if (moves) yield joined(moves[1], null, moves[2]);
  const becomes = BECOMES.exec(text);
  if (becomes) yield { ...joined(becomes[1]), direction: /\binsider\b/i.test(text) ? 'promoted' : 'joined' };
  const goes = GOES_TO.exec(text);
  if (goes) yield joined(goes[1] ?? goes[2]);
  const given = GIVEN.exec(text);
  if (given) yield joined(given[1], given[2] ?? null);
  const succeeds = SUCCEEDS.exec(text);
  if (succeeds) yield joined(succeeds[1]);
  const replaces = REPLACES.exec(text);
  if (replaces) yield { ...left(replaces[1]), replaced: true };
}

export const peopleReading = factReading<Appointment>({
  agreement: ({ person, direction }, tagged) => [tagged.says(direction, person)],
  leastConfidence: 0.5,
  names: ['company'],
  read: ({ reading, primary, brands, move, mayBe }) =>
    move === 'people' || mayBe('people')
      ? proposed(
          readPeople(
            reading,
            primary[0]?.name ?? null,
            brands.map(({ name }) => name),
          ),
        )
      : [],
  // A person with a seat at a company is a move, also where the models doubt that it is one of this industry.
  areCertain: (facts) => facts.some(({ person, role, company }) => Boolean(person && role && company)),
  why: ({ direction, person }) => [direction, person],
});
