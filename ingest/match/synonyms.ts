/** Many verbs, one act: headline words that tell the same thing, each mapped to the first of its row. */
const ROWS = [
  'raise bag secure net nab garner mop fundraise fund funding funded funds clos',
  'acquire buy acquisition takeover bought purchase snap snapped',
  'appoint name names named hire hires onboard elevate promote join joins joined rope appointment tap taps',
  'leave quit exit resign resignation depart departure outgoing step steps stepped retire retires',
  'ipo drhp udrhp rhp listing prospectus float issue public debut',
  'govt government centre central ministry',
  'approve approval nod okay okays clear clears cleared clearance greenlight ahead goahead',
  'launch launches unveil introduce debuts rollout roll',
  'open opens opened opening inaugurate inaugurates',
  'store outlet showroom boutique shop shops outlets',
  'revenue topline sales turnover',
  'profit pat earnings ebitda bottomline',
  'rise jump surge grow growth climb up zoom soar gain increase increases spike',
  'fall decline drop slip dip down slump shrink narrow',
  'partner partnership tie tieup collaborate collaboration pact team',
  'stake shareholding shares share equity',
  'sell offload divest sale sheds pare dilute',
  'ceo chief md managing',
  'cofounder founder founders cofounders',
  'startup startups company firm',
  'invest investment investor backs back infuse commit',
  'expand expansion scale',
  'plan plans aim eye target bet propose seek',
  'court hc sc tribunal nclt bench',
  'fine penalty penalise',
  'close shut shuts shutter shutdown wind',
  'layoff layoffs fire fires sack retrench',
  'merge merger amalgamate amalgamation',
  'halt pause stop suspend hold delay defer postpone',
  'reject dismiss quash turn',
  'price prices pricing hike',
  'bn billion',
  'mn million',
  'cr crore crores',
  'quickcommerce qcommerce qcomm',
] as const;

/** From a folded word or its stem to the word that stands for its row. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap((row) => {
    const [first = '', ...others] = row.split(' ');
    return [first, ...others].map((word): [string, string] => [word, first]);
  }),
);
