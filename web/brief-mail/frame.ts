/** What stands around the items of a mailed brief. */
export interface MailFrame {
  readonly baseUrl: string;
  /** The address that ends the subscription. */
  readonly ending: string;
  readonly demo: boolean;
  /** True where it tells only what the subscriber follows. */
  readonly followed: boolean;
}

export const DEMO_NOTE = 'Demonstration. The brands are real, the news is not: every outlet and report is made up.';

/** Which moves it tells. */
export const aboutLine = ({ followed }: MailFrame): string =>
  followed ? 'The last 24 hours, on the brands and themes that you follow.' : 'The last 24 hours in Indian retail.';

/** Why it came. */
export const WHY_YOU = 'You have this mail because you asked for the morning brief at';
