/** The role that stands next to a person's name, and where the person comes from. */

const PART =
  'finance|financial|operations?|operating|technology|tech|technical|marketing|product|people|human resources?|hr|business|growth|revenue|commercial|digital|data|information|strategy|supply chain|logistics|merchandising|retail|sales|design|creative|brand|legal|communications?|sustainability|innovation|manufacturing|sourcing|customer|e-?commerce|store|india|category|investment|risk|compliance|administrative';
const CHIEF = `chief (?:${PART}|executive)(?: and (?:${PART}))?(?: officer)?|(?:${PART}) (?:chief|head)`;
const SHORT = '(?:C[A-Z]{1,2}O|CHRO|CISO|MD)';
const SEAT = new RegExp(
  `\\b(?:(?:[Cc]o-?)?[Ff]ounder(?:(?:,| and| &) )?)?(?:${SHORT}(?:(?:\\s?[&/]\\s?| and )${SHORT})?(?![A-Za-z])|(?:(?:non-executive|independent|vice|deputy|joint|whole-?time|executive|managing|additional|interim) )*(?:chair(?:man|person|woman)|director)(?: (?:and|&) (?:CEO|chief executive(?: officer)?))?|${CHIEF}|head of (?:${PART})|(?:senior |executive )?vice president|president|company secretary|general manager)\\b|\\b(?:[Cc]o-?)?[Ff]ounder\\b|\\bboard\\b`,
  'giu',
);
/** Within so many characters a role belongs to the name. */
const NEAR = 45;
const FORMER = /\b(?:former|ex|erstwhile|previously|earlier)[\s-]+(?:[\p{L}'’]+\s){0,2}$/iu;

/**
 * The role nearest to a person's name in a sentence, the one before it first: `DMart chief operating officer Girish
 * Raghavan`, `names Rohan Bajwa Chief Business Officer`. What somebody was before is not what they come or go as.
 */
export function seatNear(text: string, person: string): string | null {
  const start = text.indexOf(person);
  if (start < 0) return null;
  const end = start + person.length;
  let best: { role: string; distance: number } | null = null;
  for (const match of text.matchAll(SEAT)) {
    const after = match.index >= end;
    const distance = after ? match.index - end : start - (match.index + match[0].length);
    if (distance < 0 || distance > NEAR || FORMER.test(text.slice(0, match.index))) continue;
    const between = after ? text.slice(end, match.index) : text.slice(match.index + match[0].length, start);
    // Another clause speaks of another matter.
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

/** Where somebody who joins comes from: `Taco Bell's Gauri Dhillon`, `from Skechers to`, `former Myntra executive`. */
export function formerEmployer(text: string, person: string): string | null {
  const owner = new RegExp(`${COMPANY}['’]s $`, 'u').exec(text.slice(0, Math.max(0, text.indexOf(person))))?.[1];
  const found = owner ?? FROM.exec(text)?.[1] ?? FORMER_OF.exec(text)?.[1] ?? null;
  return found && !MONTHS.test(found) ? found : null;
}
