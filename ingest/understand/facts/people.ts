/** Appointments, exits and promotions: who, what role, at which company, in which direction, and from where. */
import type { Appointment } from '../../../schemas/story.ts';
import { findDay } from '../dates.ts';
import type { Reading } from '../item-reading.ts';

const PART =
  'finance|financial|operations?|operating|technology|tech|technical|marketing|product|people|human resources?|hr|business|growth|revenue|commercial|digital|data|information|strategy|supply chain|logistics|merchandising|retail|sales|design|creative|brand|legal|communications?|sustainability|innovation|manufacturing|sourcing|customer|e-?commerce|store|india|category|investment|risk|compliance|administrative';
const CHIEF = `(?:${PART}) director|chief (?:${PART}|executive)(?: and (?:${PART}))?(?: officer)?|(?:${PART}) (?:chief|head)`;
const SHORT = '(?:C[A-Z]{1,2}O|CHRO|CISO|MD)';
const ROLE = new RegExp(
  `\\b(?:(?:[Cc]o-?)?[Ff]ounder(?:(?:,| and| &) )?)?(?:${SHORT}(?:(?:\\s?[&/]\\s?| and )${SHORT})?(?![A-Za-z])|(?:(?:non-executive|independent|vice|deputy|joint|whole-?time|executive|managing|additional|interim) )*(?:chair(?:man|person|woman)|director)(?: (?:and|&) (?:CEO|chief executive(?: officer)?))?|${CHIEF}|head of (?:${PART})|(?:senior |executive )?vice president|president|company secretary|general manager)\\b|\\b(?:[Cc]o-?)?[Ff]ounder\\b|\\bboard\\b`,
  'giu',
);
/** Maximum distance, in characters, between a name and the role that belongs to it. */
const MAX_ROLE_DISTANCE = 45;
const FORMERLY = /\b(?:former|ex|erstwhile|previously|earlier)[\s-]+(?:[\p{L}'’]+\s){0,2}$/iu;

/**
 * Finds the role nearest to a person's name in a sentence, the one before it first: `DMart chief operating officer
 * Girish Raghavan`, `names Rohan Bajwa Chief Business Officer`. A former role does not count.
 */
export function findRole(text: string, person: string): string | null {
  const start = text.indexOf(person);
  if (start < 0) return null;
  const end = start + person.length;
  let best: { role: string; distance: number } | null = null;
  for (const match of text.matchAll(ROLE)) {
    const after = match.index >= end;
    const distance = after ? match.index - end : start - (match.index + match[0].length);
    if (distance < 0 || distance > MAX_ROLE_DISTANCE || FORMERLY.test(text.slice(0, match.index))) continue;
    const between = after ? text.slice(end, match.index) : text.slice(match.index + match[0].length, start);
    // The role is in another clause.
    if (/[.;:]\s/.test(between)) continue;
    if (!best || distance < best.distance) best = { role: match[0], distance };
  }
  return best?.role ?? null;
}

const COMPANY = "(\\p{Lu}[\\p{L}\\p{N}&'’.-]*(?: (?:\\p{Lu}[\\p{L}\\p{N}&'’.-]*|&)){0,3})";
const MONTHS = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;
const FROM = new RegExp(`\\b[Ff]rom ${COMPANY}(?=\\s+(?:[Tt]o|[Aa]s|[Ii]n)\\b|[,.;]|$)`, 'u');
const FORMER_OF = new RegExp(
  `\\b(?:[Ff]ormer|[Ee]x)[\\s-]+${COMPANY}(?:['’]s)? (?:${SHORT}|[Ee]xecutive|[Ee]xec|[Vv]eteran|[Hh]ead|[Cc]hief|[Ll]eader|[Aa]lum|[Dd]irector|[Oo]fficer|[Pp]resident|[Vv][Pp])`,
  'u',
);

/** Finds the employer that a person comes from: `Taco Bell's Gauri Dhillon`, `from Skechers to`, `former Myntra executive`. */
export function findFormerEmployer(text: string, person: string): string | null {
  const owner = new RegExp(`${COMPANY}['’]s $`, 'u').exec(text.slice(0, Math.max(0, text.indexOf(person))))?.[1];
  const found = owner ?? FROM.exec(text)?.[1] ?? FORMER_OF.exec(text)?.[1] ?? null;
  return found && !MONTHS.test(found) ? found : null;
}

// Appointments, exits and promotions: who, what role, at which company, in which direction.

const PERSON_NAME =
  "(?:\\p{Lu}[\\p{L}'’]+|\\p{Lu}\\.?(?:\\s?\\p{Lu}\\.?){0,2})(?:\\s(?:\\p{Lu}[\\p{L}'’-]+|\\p{Lu}{1,3}\\b\\.?|[dD]e|van|al)){1,3}";
const FORMER =
  '(?:its\\s+|new\\s+|the\\s+)?(?:(?:former|ex)[-\\s][^.;:]{0,60}?(?:executive|exec|veteran|head|leader|chief|boss|Chief|MD|Managing Director|managing director|vice president|Vice President|CEO|CFO|COO|CMO|Head|Executive|Exec|Veteran|Officer|Director|VP|Founder|Cofounder|leader|alum|president|President)\\s+|(?:veteran|industry veteran|Veteran|Retail Veteran)\\s+)?';
const JOIN =
  '(?:[Aa]ppoints?|[Aa]ppointed|[Nn]ames?|[Nn]amed|[Hh]ires?|[Hh]ired|[Rr]opes? [Ii]n|[Rr]oped in|[Oo]nboards?|[Oo]nboarded|[Ww]elcomes?|[Ww]elcomed|[Bb]rings? [Ii]n|[Bb]ringing in|[Ii]nducts|[Dd]esignates|[Tt]aps|[Rr]eappoints|[Ee]levates?|[Ee]levated|[Pp]romotes?|[Pp]romoted)';
const LEFT =
  '(?:[Ss]teps?|[Ss]tepped|(?:is |are )?[Ss]tepping) (?:[Dd]own|[Aa]side|[Aa]way)|[Rr]esigns?|[Rr]esigned|[Qq]uits?|[Ee]xits?|[Ee]xited|[Ll]eaves|[Ll]eft|[Dd]eparts?|[Mm]oves? [Oo]n|[Rr]etires?|[Rr]etired|[Tt]o [Ee]xit|[Tt]o [Ss]tep [Dd]own|[Aa]nnounces [Ee]xit|[Rr]elinquishes|[Tt]o [Ll]eave|[Cc]alls? [Ii]t (?:[Aa] [Dd]ay|[Qq]uits)|[Pp]uts? [Ii]n (?:[Hh]is |[Hh]er )?[Pp]apers|[Bb]ows? [Oo]ut|[Ww]alks? [Oo]ut|[Ss]ays? [Gg]oodbye|[Hh]angs? [Uu]p';

const u = (pattern: string): RegExp => new RegExp(pattern, 'u');
const APPOINTS = u(
  `(${JOIN})\\s+${FORMER}(${PERSON_NAME})(?:\\s+(?:as|to)\\s+(?:its |the |a |an |new |New |their |be )*([^.;:]{2,90}))?`,
);
const JOINS = u(
  `(${PERSON_NAME})\\s+(?:[Jj]oins|[Jj]oined|[Tt]o [Jj]oin|[Ii]n [Tt]alks [Tt]o [Jj]oin|has joined)\\s+([^,.;:]{2,50}?)\\s+(?:as|As)\\s+(?:its |the |a |an |new )*([^,.;:]{2,70})`,
);
const CHARGE = u(
  `(${PERSON_NAME})\\s+(?:(?:has |will |is |set to |to )*(?:[Tt]akes?|[Tt]aking|[Tt]ook|take)\\s+(?:over|Over|[Cc]harge))(?:\\s+(?:as|As|of|the role of)\\s+(?:its |the |a |an |new )*([^.;:]{2,70}))?`,
);
const APPOINTED = u(
  `(${PERSON_NAME})\\s+(?:has been |was |is |have been |as been )?(?:[Aa]ppointed|[Nn]amed|[Ee]levated|[Pp]romoted|[Hh]ired|[Mm]oves [Uu]p)\\s+(?:[Aa]s |to |to the position of )?(?:its |the |a |an |new )*([^.;]{2,80})`,
);
const LEAVES = u(
  `(${PERSON_NAME})\\s+(?:has |have |will |is |had |reportedly |also |recently |set )*(${LEFT})(?:\\s+(?:[Aa]s|[Ff]rom)\\s+(?:its |the |their )*([^.;:]{2,70}))?`,
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
/** `Loses its COO Ankit Jain`. */
const LOSES = u(
  `(?:[Ll]oses?|[Ll]ost)\\s+(?:its |the )?(?:\\p{Lu}[\\p{L}]*\\s|of\\s|[Hh]ead of \\p{Lu}\\p{Ll}+\\s)*?(${PERSON_NAME})$`,
);
/** `Hands technology to Faisal Qureshi`, `adds Meher Daruwala to board`, `picks insider Lavanya Pillai to run watches`. */
const GIVEN = u(
  `(?:[Hh]ands .{3,30}? [Tt]o|[Aa]dds|[Pp]icks(?: [Ii]nsider)?)\\s+(${PERSON_NAME})(?:\\s+[Tt]o (?:(?:[Ii]ts |[Tt]he )?([Bb]oard)|(?:[Rr]un|[Ll]ead|[Hh]ead) (.{2,50}))|$)`,
);

/** `Moves from Flipkart to Lenskart as technology chief`. */
const MOVES_TO = u(
  `(${PERSON_NAME})\\s+[Mm]oves? [Ff]rom [^,.;:]{2,40}? [Tt]o ([^,.;:]{2,40}?)(?: [Aa]s ([^,.;:]{2,70}))?$`,
);
const BECOMES = u(`(${PERSON_NAME})\\s+(?:[Bb]ecomes|[Bb]ecame|[Tt]o [Bb]ecome)\\s`);
/** `Strengthens its team with Asha Rane as CEO`, `brings Vikram Sule on board as CIO`. */
const WITH_AS = u(
  `(?:\\b[Ww]ith|[Bb]rings|[Gg]ets|[Aa]dds)\\s+${FORMER}(${PERSON_NAME})\\s+(?:[Oo]n [Bb]oard\\s+)?[Aa]s\\s+(?:its |the |new |New )*([^.;:]{2,70})`,
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
const RESIGNING = u(`(${PERSON_NAME})\\s+(?:and\\s+\\S+\\s(${PERSON_NAME})\\s+)?(?:resigning|stepping down|exiting)`);

const CAP_STOP =
  /^(?:Retail|India|Indian|Quick|Commerce|New|Chief|Business|Officer|Former|Ex|Senior|Vice|President|Head|Director|Managing|CEO|CFO|COO|CMO|CBO|MD|Leadership|Top|Group|Brand|Brands|Food|Foods|Fashion|Beauty|Veteran|Executive|Independent|Additional|Two|Three|Four|Next|Global|The|For|And|With|In|To|As|At|From|Company|Startup|Board|Team|Growth|Leaders?|Role|Roles|Core|Digital|Marketing|Country|Regional|National|General|Chairman|Founders?|Cofounders?|Promoters?|Employees?|Staff|Co|Of|Elevates?|Promotes?|Appoints?|Names|Hires?|Onboards?|Welcomes?|Inducts?|Ropes|Brings|Taps|South|North|East|West|Asia|Pacific|Middle|Europe|Independent|Appointment|Several|Key|Multiple|Executive|Roles|Exec|VP|SVP|AVP|EVP|Cofounder|Actor|Actress|Cricketer|Singer|Commercial|Operating|Financial|Finance|Technology|Information|Product|People|Human|Supply|Creative|Strategy|Sales|Legal|Interim|Deputy|Joint|Boss|Insider|Duo|Ltd|Limited|Foods|Retailer|Startup|Platform|Ambassador|Industry|Leader|Consumer|Beauty|Jewellery|Jewellers|Capital|Ventures|Partners|Amid|After|But|While)$/;

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

const ROLE_END =
  /\s+(?:to (?:lead|drive|strengthen|head|spearhead|oversee|accelerate|steer|support|boost|fuel|scale|revive|build|expand)|to Lead|To |Amid|amid|effective|with effect|after|After|ahead|following|from|w\.e\.f|for a|for \w+ years?|who|and will|starting|in (?:a|its|major|leadership)|succeeding|replacing|;|,).*$/u;

/** A seat has one of these words in it; anything else after a name is a clause. */
const SEAT =
  /\b(?:C[A-Z]{1,2}O|CHRO|CISO|MD|[SAE]?VP|heads?|chief|chair(?:man|person|woman)?|director|president|officer|manager|partner|founder|secretary|controller|advis[eo]r|mentor|board|trustee|treasurer|counsel|lead|leader|boss|consultant|designer|chef|strategist|economist|evangelist|principal|dean|executive)\b/i;
/** Words that end a seat and begin a clause. */
const CLAUSE =
  /\s(?:as|amid|while|even|to|after|ahead|following|with|from|who|that|when|since|because|and will|it)\s.*$/i;

function roleOf(text: string | undefined, company: string | null): string | null {
  if (!text) return null;
  let role = text.replace(ROLE_END, '').replace(CLAUSE, '').trim();
  // `To lead Instamart`: what somebody runs is no seat.
  if (/^(?:lead|head|run|helm|steer|spearhead|drive|oversee)\s/i.test(role)) return null;
  if (company && role.toLowerCase().startsWith(company.toLowerCase()))
    role = role
      .slice(company.length)
      .replace(/^['’]s/, '')
      .trim();
  role = role.replace(/^(?:[Nn]ew|[Ii]ts|[Tt]he)\s+/, '').replace(/[,\s]+$/, '');
  const at = /\s(?:[Oo]f|[Aa]t|[Ff]or|[Ii]n)\s/.exec(role);
  if (at && company && role.slice(at.index + at[0].length).toLowerCase() === company.toLowerCase())
    role = role.slice(0, at.index);
  if (/^at\s/i.test(role)) return null;
  if (/\b(?:ambassador|the face)\b/i.test(role)) return AMBASSADOR;
  return role.length >= 2 && role.length <= 80 && SEAT.test(role) ? role : null;
}

/** An ambassador lends a face and joins nothing. */
const AMBASSADOR = 'brand ambassador';

const isSameName = (company: string, person: string): boolean =>
  company.toLowerCase() === person.toLowerCase() || company.toLowerCase().startsWith(`${person.toLowerCase()} `);

/** The company whose seat precedes a name: `Swiggy Instamart's COO Ankit Jain`, `Bata India CFO Virendra K`. */
function companyBefore(text: string, person: string, companies: readonly string[]): string | null {
  const before = text.slice(0, Math.max(0, text.indexOf(person)));
  const found = companies.find((company) => {
    const at = before.lastIndexOf(company);
    return (
      at >= 0 &&
      /^(?:['’]s?)?(?:\s+(?:[\p{L}&-]+\s+){0,4})?$/u.test(before.slice(at + company.length)) &&
      SEAT.test(before.slice(at + company.length)) &&
      !/\b(?:ex|former)[\s-]+$/i.test(before.slice(0, at))
    );
  });
  return found ?? null;
}

/**
 * Reads the people moves of a headline and its summary.
 * @param company the name of the company that the story is about; null for none
 * @param companies the names of all companies in the story
 * @returns one entry per person, in the order of the text; `effective` is a day in IST
 */
export function readPeople(reading: Reading, company: string | null, companies: readonly string[] = []): Appointment[] {
  const found: Appointment[] = [];
  const add = (
    person: string | null | undefined,
    role: string | null,
    direction: Appointment['direction'],
    text: string,
    joins?: string,
  ): void => {
    const name = person ? personName(person.replace(POSSESSED, '')) : null;
    if (!name) return;
    if (companies.some((other) => isSameName(other, name)) || role === AMBASSADOR) return;
    const surname = name.split(' ').at(-1);
    const given = name.split(' ')[0];
    const same = (other: string): boolean =>
      other.split(' ')[0] === given || (other.split(' ').at(-1) === surname && other[0] === name[0]);
    const seat = role ?? findRole(text, name);
    const known = found.findIndex(({ person }) => same(person));
    const earlier = found[known];
    // A later sentence may add the role of a person whom the headline names without one.
    if (earlier) {
      if (earlier.role === null && earlier.direction === direction) found[known] = { ...earlier, role: seat };
      return;
    }
    const effective = /effective|with effect|w\.e\.f|from|on/.test(text) ? findDay(text, reading.day) : null;
    // A person who is the subject of the headline is no company; one who joins another company comes from the first.
    const own = direction === 'left' ? companyBefore(text, person ?? name, companies) : null;
    const at =
      companies.find((other) => other === joins) ??
      own ??
      (company === name ? (companies.find((other) => other !== name) ?? null) : company);
    // Somebody leaves a company: without one there is nothing to say.
    if (direction === 'left' && at === null) return;
    const employer =
      direction === 'joined' ? (findFormerEmployer(text, name) ?? (at === company ? null : company)) : null;
    const from = employer === at || employer === name ? null : employer;
    found.push({ person: name, company: at, role: seat, direction, from, to: null, effective });
  };
  for (const text of [
    reading.title.text,
    ...(reading.summary.text.match(/[^.!?…]+(?:\.(?!\s+\p{Lu}\p{Ll})[^.!?…]*)*/gu) ?? []).slice(0, 6),
  ])
    readSentence(text, company, add);
  return found;
}

/** Without one of these words nobody joins or leaves: this saves the search for names. */
const MOVES_SOMEBODY =
  /appoint|nam(?:es|ed)|hire|rop(?:es|ed)|onboard|welcom|bring|induct|designat|tap|elevat|promot|join|tak(?:es?|ing)|took|step|resign|quit|exit|lead|leav|left|depart|mov(?:es|ed)|retire|relinquish|replac|succe|remain|continue|stay|run|head|helm|spearhead|los[et]|hand|add|pick|call|put|bow|walk|say|hang|becom|goes|gets/i;

function readSentence(
  text: string,
  company: string | null,
  add: (
    person: string | null | undefined,
    role: string | null,
    direction: Appointment['direction'],
    text: string,
    joins?: string,
  ) => void,
): void {
  if (!MOVES_SOMEBODY.test(text)) return;
  const pair = PAIR.exec(text);
  if (pair) for (const person of [pair[1], pair[2]]) add(person, null, 'left', text);
  const noun = NOUN.exec(text);
  if (noun) add(noun[1], null, 'joined', text);
  const appoints = APPOINTS.exec(text);
  if (appoints)
    add(
      appoints[2],
      roleOf(appoints[3], company),
      /^(?:elev|promo)/i.test(appoints[1] ?? '') ? 'promoted' : 'joined',
      text,
    );
  const leaves = LEAVES.exec(text);
  if (leaves) add(leaves[1], roleOf(leaves[3], company), 'left', text);
  const resigning = RESIGNING.exec(text);
  if (resigning) for (const person of [resigning[1], resigning[2]]) add(person, null, 'left', text);
  const remains = REMAINS.exec(text);
  if (remains) add(remains[1], null, 'left', text);
  const joins = JOINS.exec(text);
  if (joins) add(joins[1], roleOf(joins[3], company), 'joined', text, joins[2]);
  const charge = CHARGE.exec(text);
  if (charge) add(charge[1], roleOf(charge[2], company), 'joined', text);
  const appointed = APPOINTED.exec(text);
  if (appointed)
    add(
      appointed[1],
      roleOf(appointed[2], company),
      /[Ee]levated|[Pp]romoted|[Mm]oves [Uu]p/.test(appointed[0]) ? 'promoted' : 'joined',
      text,
    );
  const withAs = WITH_AS.exec(text);
  if (withAs && roleOf(withAs[2], company)) add(withAs[1], roleOf(withAs[2], company), 'joined', text);
  const leads = TO_LEAD.exec(text);
  if (leads) add(leads[1], null, 'joined', text);
  const moves = MOVES_TO.exec(text);
  if (moves) add(moves[1], roleOf(moves[3], company), 'joined', text, moves[2]);
  const becomes = BECOMES.exec(text);
  if (becomes) add(becomes[1], null, /\binsider\b/i.test(text) ? 'promoted' : 'joined', text);
  const goes = GOES_TO.exec(text);
  if (goes) add(goes[1] ?? goes[2], null, 'joined', text);
  const given = GIVEN.exec(text);
  if (given) add(given[1], given[2] ?? null, 'joined', text);
  const loses = LOSES.exec(text);
  if (loses) add(loses[1], null, 'left', text);
  const succeeds = SUCCEEDS.exec(text);
  if (succeeds) add(succeeds[1], null, 'joined', text);
  const replaces = REPLACES.exec(text);
  if (replaces) add(replaces[1], null, 'left', text);
}
