/** Deals: funding, acquisitions, stake sales, steps to a listing, joint ventures, mergers. */

import { countsThings, type Figure } from '../../language/figures.ts';
import { type Proposed, signsOf } from '../confidence.ts';
import { type Agreement, factReading, type ItemFacts, spellingsOf, spellingsOfFigure } from '../item-facts.ts';
import type { TaggedText } from '../tagged-text.ts';
import type { Part, Reading, WrittenBrand } from '../text/item-reading.ts';
import { negationOf, splitClauses } from '../text/statements.ts';
import type { Deal } from './fields.ts';

// The kind of deal. The verb of the headline decides before what it mentions in passing.

const LISTING =
  /\b(?:ipo|drhp|udrhp|public issue|(?:public|stock market|india) listing|listing (?:plans?|of)|delays listing|public (?:company|entity)|draft (?:papers|prospectus)|go(?:es)? public|sebi (?:nod|approval|go-ahead)|confidential(?:ly)? files?|list(?:s|ing)? (?:on|its)|listing)\b/i;
const PRE_LISTING = /\bpre-?ipo\b/i;
const RAISED =
  /\b(?:rais(?:es?|ed|ing)|bags|secures?|secured|nets|nabs|snags|closes|garners|lands|mops up|scoops up|rakes in|pockets|lines up|attracts|announces|(?:picks?|picked) up(?= (?:over |about )?(?:₹|rs|inr|\$|usd)))\b.{0,50}(?:fund(?:ing|s|raise)?\b|financing|seed|series [a-h]|round|debt|capital|investment|₹|rs\b|\$|€|usd)/i;
const SHARES = /\b(?:stakes?|shares?|holdings?|(?<!private )equity|block deal|bulk deal|offer for sale)\b/i;
const SOLD =
  /\b(?:sells?|selling|sold|offloads?|offloaded|divests?|pares?|trims?|dilutes?|dumps?|cuts?|cashes out|snags|exits?|block deal|bulk deal|stake sale|up for grabs|liquidity event)\b/i;
const BOUGHT =
  /\b(?:acqui(?:res?|red|ring|sition)|buys?|bought|buyout|to buy|takes? (?:over|control|full)|takeover|picks? up|snaps up|complet\w+ (?:the |its )?purchase|to purchase|purchase of|sold to)\b/i;
const WHOLE = /\b(?:majority|controlling|control|entire|remaining|balance|full|100 ?(?:%|pc|per ?cent)|rest of)\b/i;
const INVESTED =
  /\b(?:fund(?:ing|raise|raiser|raising)?|invest(?:s|or|ment|ed|ing)?|backs|backed by|series [a-h]|seed|qip|rights issue|debt|round|infus\w+|pumps?|cap table|financing)\b/i;
/** Not a deal of a company: a fund of an investor, brands that were acquired long ago, or no funding at all. */
const NO_DEAL =
  /\bwithout (?:any |external |outside |a rupee of )*(?:funding|investors?|capital)\b|(?:\bcr(?:ore)?|\bmn|million|billion|\bbn)[ -](?:\p{L}+\s){0,2}fund\b(?! ?rais| ?infusion)|\b(?:maiden|first|second|third|new|debut|continuity) fund\b|\bacquired (?:brands?|portfolio|business(?:es)?|companies)\b|\b(?:brands?|business(?:es)?|units?|company|assets?|portfolio)\s(?:it\s|that it\s)?(?:had\s)?acquired\s(?:from|last|earlier|in 20\d\d)\b/iu;

/** A listing as the occasion of something else: `ahead of its IPO`, `post-IPO`, `IPO-bound`. */
const OCCASION =
  /\bpost-?ipo\b|\bipo-bound\b|\b(?:come|comes|under|in|into) (?:focus|the spotlight|scrutiny) ahead of\b.*$/gi;

/** Whether a share that is bought is some of the shares, and not the company: less than half, or a stake of no stated size. */
function isMinority(text: string): boolean {
  if (
    WHOLE.test(text) ||
    /\bminority\b/i.test(text) ||
    !/\bstake|\bshares?\b|(?<!private )\bequity\b|\d\s?(?:%|pc|per ?cent) in\b/i.test(text)
  )
    return false;
  const share = /(\d+(?:\.\d+)?)\s?(?:%|pc\b|per ?cent)/i.exec(text);
  return !share || Number(share[1]) < 50;
}

/** `Raises platform fee to Rs 17`, `raises FY27 guidance`: what is raised is no money for the company. */
const RAISES_OTHER =
  /\b(?:rais(?:es?|ed|ing)|hikes?|lifts?)\s(?:[\p{L}\d'’-]+\s){0,3}?(?:fees?|prices?|pricing|mrps?|fares?|charges?|rates?|tariffs?|wages?|salar(?:y|ies)|pay|rents?|guidance|forecasts?|targets?|outlook|capacity|production|output|limits?|concerns?|alarm|questions?|awareness|bar)\b/iu;
/** `Two months after funding, …`: the occasion of what the headline reports. */
const LEADING_OCCASION =
  /^(?:(?:\d+|an?|one|two|three|four|five|six|few|days?|weeks?|months?|years?|hours?|soon|shortly|just|barely|right)\s){0,4}(?:after|amid|following|since|despite|before|ahead of)\s[^,:]{3,60},\s/iu;

function typeOfText(title: string): Deal['type'] | null {
  const text = title.replace(LEADING_OCCASION, '');
  if (RAISES_OTHER.test(text) && !SHARES.test(text) && !/\b(?:acqui|funding|ipo|merg)/i.test(text)) return null;
  if (/\b(?:jv|joint venture)\b/i.test(text)) return 'jv';
  if (/\banchor (?:investors?|book)\b/i.test(text)) return 'ipo';
  const raised = RAISED.test(text) && !/\bvaluation\b.{0,20}$/i.test(RAISED.exec(text)?.[0] ?? '');
  if (PRE_LISTING.test(text) && /\brais(?:es?|ed|ing)\b/i.test(text)) return 'funding';
  if (raised && !SHARES.test(text) && !/\bipo\b.{0,30}\brais/i.test(text)) return 'funding';
  if (LISTING.test(text.replace(OCCASION, ''))) return 'ipo';
  if (/\b(?:merges?|merger|amalgamat\w+)\b/i.test(text)) return 'merger';
  if (/\b(?:majority|controlling) stake\b/i.test(text)) return 'acquisition';
  const founder = /\bfounder\b.{0,30}\bstake\b/i.test(text);
  if (BOUGHT.test(text) && !(SOLD.test(text) && SHARES.test(text)))
    return founder || isMinority(text) ? 'stake_sale' : 'acquisition';
  if (SOLD.test(text) && (SHARES.test(text) || /\bexits\b|\bup for grabs\b|\bliquidity event\b/i.test(text)))
    return 'stake_sale';
  if (/\bminority stake\b/i.test(text)) return 'funding';
  if (/\b(?:raises?|hikes?|increases?|ups) (?:its |their )?(?:stake|holding)\b/i.test(text))
    return isMinority(text) ? 'stake_sale' : 'acquisition';
  if (SHARES.test(text) && /\bstake\b/i.test(text)) return 'stake_sale';
  if (/\b(?:sells?|selling|sold|offloads?|divests?|exits?)\b/i.test(text) && !INVESTED.test(text)) return 'stake_sale';
  return INVESTED.test(text) || /\bvaluation\b/i.test(text) ? 'funding' : null;
}

/** A verb of investing whose object follows. */
const INVESTS = /\b(?:to )?invest(?:s|ed|ing)?\b(?=.{0,40}\b(?:in|into|on)\b)/i;

// The amount: what is paid or raised, and never what a company is worth or sells.

const OTHER_AFTER =
  /^[\s-]*(?:(?!(?:at|in|for|from)\b)\p{L}+[\s-]){0,2}(?:valuations?|revenue|sales|arr\b|profit|loss|turnover|gmv|ebitda|net worth|market cap|business|brand)\b/iu;
const OTHER_BEFORE =
  /\b(?:valuations?|valued|values?|valuing|worth of|revenue|sales|arr|profit|loss|turnover|gmv)\s(?:\p{L}+\s){0,3}(?:of|to|at|from|over|about|around)?\s?$/iu;

/** Less money is the price of a thing. */
const MIN_RUPEES = 1_000_000;

/** Whether money in a text is the size of the deal. */
function isSize(text: string, figure: Figure): boolean {
  if (figure.kind !== 'money' || figure.value < (figure.unit === 'INR' ? MIN_RUPEES : MIN_RUPEES / 100)) return false;
  if (countsThings(text, figure)) return false;
  const after = text.slice(figure.end, figure.end + 40);
  const before = text.slice(Math.max(0, figure.start - 40), figure.start);
  return !OTHER_AFTER.test(after) && !OTHER_BEFORE.test(before);
}

/** The size that a summary names next to a word for the deal. */
function sizeInSummary({ text, figures }: Part, near: RegExp): string | null {
  const size = figures.find(
    (figure) =>
      figure.start < 260 &&
      isSize(text, figure) &&
      near.test(text.slice(Math.max(0, figure.start - 45), figure.end + 30)),
  );
  return size?.text ?? null;
}

const ISSUE = /\b(?:ipo|public issue|initial public|issue)\b/i;

// Who: the target and the buyers, by their places in the headline.

/** A company and where the headline names it; -1 for a name that only the summary has. */
interface Placed {
  readonly name: string;
  readonly written: string;
  readonly at: number;
  readonly end: number;
  readonly primary: boolean;
}

const plain = (text: string): string => text.replace(/[’‘`]/g, "'").toLowerCase();

function place(text: string, brands: readonly WrittenBrand[]): Placed[] {
  const folded = plain(text);
  return brands.map(({ name, written, role }) => {
    const asWritten = folded.indexOf(plain(written));
    const at = asWritten >= 0 ? asWritten : folded.indexOf(plain(name));
    return { name, written, at, end: at + written.length, primary: role === 'primary' };
  });
}

/** `As Flipkart cuts its stake`: who sells, also where another company buys. */
const isSeller = (text: string, { at, end }: Placed): boolean =>
  at >= 0 && (SOLD.exec(text.slice(end))?.index ?? Number.POSITIVE_INFINITY) <= ' to '.length;

const BUYS =
  /\b(?:acqui(?:res?|red|ring)|buys?|bought|to buy|takes? (?:over|control)|picks? up|snaps up|purchases?|completes?|merges? with)\b/i;
/** `Lenskart stake`, `Meesho's shares`, `Wakefit IPO`, `Bira founder's stake`: whose shares they are. */
const HELD_AFTER =
  /^(?:['’]s?)?\s((?:[\p{L}'’]+\s){0,3}?)(?:stakes?|shares?|ipo|holdings?|acquisition|takeover|buyout|promoters?|bets)\b/iu;
/** `A stake in`, `exits`, `IPO of`. */
const WORD = String.raw`(?:(?!(?:from|by|led|with|for|at|series|seed|round|funding|pre|debt|to|via)\b)[\p{L}\d&.'’-]+\s)`;
const HELD_BEFORE = new RegExp(
  String.raw`\b(?:stakes?|shares?|holdings?|equity|round|investment|bet|invests?|invested|majority|cr|crore|mn|million)\s${WORD}{0,3}?in\s${WORD}{0,5}$|\bexits\s$|\b(?:ipo|listing|acquisition|purchase|buyout) (?:for|of)\s${WORD}{0,4}$|\bbacks\s${WORD}{0,4}$`,
  'iu',
);

/** Whether shares, an issue or a bet after a company are its own: no verb is between. */
function holdsAfter(text: string): boolean {
  const holding = HELD_AFTER.exec(text);
  return (
    holding !== null &&
    !SOLD.test(holding[1] ?? '') &&
    !BOUGHT.test(holding[1] ?? '') &&
    !/\b(?:raises?|hikes?|ups|increases?|eyes|plans|files|to|an?|its|makes?|off|calls|drops|shelves|scraps|abandons|defers|delays|denies)\b/i.test(
      holding[1] ?? '',
    )
  );
}

/** The company whose shares, issue or round a headline names; null for none. */
const heldIn = (text: string, companies: readonly Placed[]): Placed | null =>
  companies.find(({ at }) => at >= 0 && HELD_BEFORE.test(text.slice(0, at))) ??
  companies.find(({ at, end, primary }) => primary && at >= 0 && holdsAfter(text.slice(end))) ??
  null;

/** The company whose issue or listing a headline names; null for none. */
const listedIn = (text: string, companies: readonly Placed[]): Placed | null =>
  companies.find(
    ({ at, end }) =>
      at >= 0 &&
      (/^(?:['’]s?)?\s(?:upcoming\s)?(?:ipo|listing|drhp|public issue)\b/i.test(text.slice(end)) ||
        /\b(?:ipo|listing|public issue) (?:for|of)\s$/i.test(text.slice(0, at))),
  ) ?? null;

/** `United Spirits' unit in Odisha`: a part of a company is bought, not the company. */
const PART_OF =
  /^(['’]s?\s(?:[\p{L}&-]+\s){0,3}?(?:unit|business|plant|factory|brand|brands|portfolio|division|arm|assets?|stores|operations|distillery|brewery)\b)/iu;

/** `Accel-backed`, `Wellkart founder's new venture`: the company only describes another one. */
const isAdjective = (text: string, { end }: Placed): boolean =>
  /^[\s-](?:backed|owned|funded|promoted|controlled)\b|^(?:['’]s?)?\s(?:ex-|former )?(?:co-?)?founders?(?:['’]s?)\s/i.test(
    text.slice(end),
  );

/** `Wellkart founders' new venture Munchly raises`: the company that is funded is named right before the verb. */
function ventureIn(text: string): string | null {
  const venture =
    /\bfounders?(?:['’]s?)\s(.{3,60}?)\s(?:raises|secures|bags|nets|gets|closes|picks up|lands|to raise)\b/i.exec(
      text,
    )?.[1];
  const name =
    /(?:^|\b(?:venture|startup|start-up|brand|platform|firm|company|chain|maker)\s)((?:\p{Lu}[\p{L}\d.&’'-]*\s?){1,3})$/u.exec(
      venture ?? '',
    );
  return name?.[1]?.trim() ?? null;
}

/** Companies in front of the verb, without those that only describe (`Accel-backed`). */
const before = (text: string, companies: readonly Placed[], index: number): Placed[] =>
  companies.filter((company) => company.at >= 0 && company.at < index && !isAdjective(text, company));

interface Sides {
  readonly target: string | null;
  readonly buyers: readonly string[];
}

function sidesOfPurchase(text: string, companies: readonly Placed[], primary: readonly Placed[]): Sides {
  const passive =
    /\b(?:acquired|bought|taken over|snapped up) (?:by|for|in)\b|\bsold to\b|\b(?:gets?|is|was|been|be|being) (?:acquired|bought)\b/i.exec(
      text,
    );
  if (passive) {
    const target = before(text, primary, passive.index)[0];
    const buyers = companies.filter(({ at, name }) => at > passive.index && name !== target?.name);
    return { target: target?.name ?? null, buyers: buyers.map(({ name }) => name) };
  }
  const joined = /\b(?:joins|becomes part of|merges? with)\b/i.exec(text);
  const verb = joined ? -1 : (BUYS.exec(text)?.index ?? text.length);
  const buyers = before(text, companies, verb).filter(
    (company, _, all) => company.primary || all.every((other) => !other.primary),
  );
  const others = companies.filter((company) => !buyers.includes(company));
  const target = joined
    ? primary[0]
    : (heldIn(text, verb < text.length ? others : companies) ??
      others.find(({ at, primary: main }) => main && at > verb) ??
      others.find(({ at }) => at > verb && !/\bfrom\s$/i.test(text.slice(0, at))) ??
      (verb === text.length ? primary[1] : undefined));
  if (joined && target)
    return {
      target: target.name,
      buyers: primary.flatMap(({ name, at }) => (at > joined.index && name !== target.name ? [name] : [])),
    };
  // `Wellkart makes an acquisition`: the headline does not say of whom; a company that buys is no target.
  if (!target) return { target: null, buyers: verb < text.length ? buyers.map(({ name }) => name) : [] };
  const part = target.at >= 0 ? PART_OF.exec(text.slice(target.end)) : null;
  return {
    target: part ? `${target.written}${part[1]}` : target.name,
    buyers: buyers.filter(({ name }) => name !== target.name).map(({ name }) => name),
  };
}

/** A company that a summary names right after a verb of buying. */
function boughtInSummary(summary: Part, primary: readonly Placed[]): string | null {
  const bought = summary.mentions.find(
    ({ brand, first }) =>
      brand &&
      primary.every(({ name }) => name !== brand.name) &&
      /\b(?:acquir\w+|buy(?:s|ing)?|bought|acquisition of|purchase of)\s(?:[\p{L}\d%-]+\s){0,5}$/iu.test(
        summary.text.slice(Math.max(0, (summary.tokens[first]?.start ?? 0) - 70), summary.tokens[first]?.start ?? 0),
      ),
  );
  return bought?.brand?.name ?? null;
}

/** Investors that a headline names after `led by`, `from`, `by`, or in front of a verb of investing. */
function investorsOf(text: string, companies: readonly Placed[], target: string | null, title: Part): string[] {
  const from =
    /\b(?:led by|from|backing of|participation (?:of|from)|backed by|by)\s/i.exec(text)?.index ?? text.length;
  const invests =
    /\b(?:to )?(?:invests?|backs|infuses?|pumps|leads|invested|buys?|acquires?|picks? up|takes? over|takes? control|raises? (?:its )?stake)\b/i.exec(
      text,
    )?.index ?? 0;
  const named = companies.filter(
    (company) =>
      company.name !== target &&
      company.at >= 0 &&
      !isAdjective(text, company) &&
      (company.at > from || company.at < invests || /^-led\b/i.test(text.slice(company.end))),
  );
  const names = named.map(({ name }) => name);
  const led = /\b(?:led by|from|backed by)\s+((?:\p{Lu}[\p{L}\d&.'’-]*\s?){1,5})/u.exec(title.text)?.[1]?.trim();
  if (
    names.length === 0 &&
    led &&
    !/^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|FY|Existing|India|Angel|Investors|Its|The|Family|Promoters?|[A-Z][a-z]+ Investors)\b/.test(
      led,
    )
  )
    names.push(led.replace(/\s+(?:to|for|and|at|in)\b.*$/i, ''));
  return [...new Set(names)];
}

// How far it is.

const RUMOURED =
  /\b(?:in (?:\p{L}+ )?talks|mulls?|explor\w+|eyes?|likely|may|might|could|consider\w*|weighs?|reportedly|sources|report|looks? to|plan(?:s|ning)?(?=\s+(?:to|an?|its|for|of|on|₹|rs|inr|\$|usd|€|\d|ipo|listing|stake|fund|public|maiden|fresh))|seeks?|keen on|scouts?|courts|up for grabs|nears|aims?|targets?|wants|race (?:for|to)|in (?:the )?(?:race|fray)|vies?|suitors?)\b/iu;
const COMPLETED =
  /\b(?:complet\w+|acquired|acquires|raised|raises|bags?|bagged|scoops up|rakes in|pockets|secured?s?|nets|netted|nabs|closes|closed|garners|sells|sold|offloads|offloaded|buys|bought|picks up|takes over|makes debut|debuts|lists|exits|exited)\b/i;
const AGREED =
  /\b(?:to (?:acquire|buy|sell|raise|invest|merge|purchase|form)|will|signs?|agree\w*|approv\w+|nod|clears|files?|filed|definitive)\b/i;

/** Words of a summary whose purchase or round is not completed: headlines say `buys` and `raises` of those too. */
const UNFINISHED: Partial<Record<Deal['type'], RegExp>> = {
  acquisition: /\b(?:is acquiring|(?:to|will|would) (?:acquire|buy)|agreed to|agreement to)\b/i,
  funding: /\bis raising\b/i,
};

/** Who says so: what is only reported or heard is a rumour wherever the headline says it. */
const HEARSAY = /\b(?:reportedly|in (?:\p{L}+ )?talks|likely|may|might|could|sources?|report|up for grabs)\b/iu;
/** What else is said: the next step of a deal that is done (`, eyes a listing`), its occasion, who says it. */
const ASIDE = /(?:[,;]|\s[–—-]|:)\s.*$|\s(?:as|amid|after|following|despite|ahead of|on the back of|even as)\s.*$/iu;

/**
 * How far a deal is by what the headline says first, else by all its words; null where it does not say. Papers that are filed
 * and approvals are steps of a listing, which nobody agrees on.
 */
function statusOf(text: string, type: Deal['type'], summary: string): Deal['status'] {
  const lead = text.replace(ASIDE, '');
  for (const words of HEARSAY.test(text) ? [text] : [lead, text]) {
    if (RUMOURED.test(words)) return 'rumoured';
    if (AGREED.test(words)) return type === 'ipo' ? null : 'agreed';
    if (COMPLETED.test(words)) return UNFINISHED[type]?.test(summary) ? 'agreed' : 'completed';
  }
  return null;
}

/**
 * Reads the deal of an item.
 * @param brands of the item; investors are among them
 * @returns amounts as written in the house form; target, buyers and amount are null or empty where their place in the
 *   headline does not make them certain; null when the item reports no deal
 */
export function readDeal(reading: Reading, brands: readonly WrittenBrand[]): Proposed<Deal> | null {
  const { title, summary } = reading;
  const { text } = title;
  if (NO_DEAL.test(text)) return null;
  const isOccasion = LEADING_OCCASION.test(text) && typeOfText(text) === null;
  const type =
    typeOfText(text) ?? (isOccasion || RAISES_OTHER.test(text) ? null : typeOfText(summary.text.slice(0, 240)));
  if (!type) return null;
  // What somebody denies is no deal, and what was dropped or put off is none that was agreed, unless another clause
  // reports one that is: `pauses talks as founders bag 4% stake`.
  const negated = negationOf(text);
  const others = negated ? splitClauses(text).filter((clause) => !negationOf(clause.text)) : [];
  const isOtherDone = others.some(
    (clause) => (COMPLETED.test(clause.text) || AGREED.test(clause.text)) && typeOfText(clause.text) !== null,
  );
  if (negated === 'denied' && !isOtherDone) return null;
  const companies = place(text, brands).filter(({ at, primary }) => at >= 0 || primary);
  // `Wellkart invests in its plant`: a company that invests in itself makes no deal.
  const invests = type === 'funding' && !RAISED.test(text) ? INVESTS.exec(text) : null;
  if (invests && companies.every(({ at }) => at < invests.index) && !/\b(?:from|by|led)\b/i.test(text)) return null;
  const primary = companies.filter((company) => company.primary);
  const amount =
    title.figures.find((figure) => isSize(text, figure))?.text ??
    (type === 'ipo' ? sizeInSummary(summary, ISSUE) : null);
  const status = negated && !isOtherDone ? 'rumoured' : statusOf(text, type, summary.text);
  if (type === 'acquisition' || type === 'merger') {
    const { target, buyers } = sidesOfPurchase(text, companies, primary);
    const bought = target ?? boughtInSummary(summary, primary);
    return { fact: { type, amount, target: bought, buyers: [...new Set(buyers)], status }, signs: {} };
  }
  const held = type === 'ipo' ? listedIn(text, companies) : heldIn(text, companies);
  const chosen = held ?? primary.find((company) => !isAdjective(text, company));
  const target = chosen?.name ?? (type === 'funding' ? ventureIn(text) : null);
  const sells = type === 'stake_sale' && SOLD.test(text) && !BOUGHT.test(text);
  const buyers =
    type === 'ipo'
      ? []
      : sells
        ? []
        : type === 'jv'
          ? companies.filter(({ name, at }) => at >= 0 && name !== target).map(({ name }) => name)
          : investorsOf(
              text,
              companies.filter((company) => !isSeller(text, company)),
              target,
              title,
            );
  return { fact: { type, amount, target, buyers, status }, signs: signsOf({ 'stake sale': type === 'stake_sale' }) };
}

/** A second reader's opinion of type, target and amount. */
const agreementWith = ({ type, target, amount }: Deal, tagged: TaggedText, item: ItemFacts): Agreement => [
  tagged.reports('deal', type === 'merger' ? 'acquisition' : type),
  target === null ? tagged.lacks('target') : tagged.says('target', ...spellingsOf(item, target)),
  amount === null ? tagged.lacks('amount') : tagged.says('amount', ...spellingsOfFigure(item, amount)),
];

const PLAIN =
  ' (?:raises|secures|bags|nets|lands|mops up) (?:over |around |about |nearly )?(?:rs\\.? ?|inr |usd |[₹$€])?\\d';

/** `Kiri Foods raises ₹60 crore in a Series B round`: who raised how much. */
function isPlain({ type, amount, target, status }: Deal, { reading: { title }, brands }: ItemFacts): boolean {
  const written = brands.find(({ name }) => name === target)?.written;
  if (type !== 'funding' || status !== 'completed' || amount === null || !written) return false;
  return new RegExp(`(?:^|\\s)${RegExp.escape(written)}${PLAIN}`, 'i').test(title.text);
}

export const dealsReading = factReading<Deal>({
  agreement: agreementWith,
  leastConfidence: 0.6,
  names: ['target', 'buyers'],
  read({ reading, brands, move, isDeed }) {
    const deal = move === 'deals' ? readDeal(reading, brands) : null;
    return deal ? [{ ...deal, signs: { ...deal.signs, ...signsOf({ 'clear deed': isDeed }) } }] : [];
  },
  isPlain,
  why: ({ type, target, amount }) => [type, [target, amount].filter(Boolean).join(', ')],
});
