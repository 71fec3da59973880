/** What an outlet of the newsroom is: a name, a way to publish and a house style. */
import type { Move } from '../schemas/scalar.ts';
import type { Selectors, SourceKind } from '../schemas/source.ts';

/** How an outlet writes figures and headlines. Authored texts hold neutral figures such as `[₹230cr]`. */
export interface Voice {
  readonly case: 'title' | 'sentence';
  readonly rupee: '₹ Cr' | '₹ crore' | 'Rs crore' | 'Rs. crore' | 'Rs Cr' | 'INR Cr';
  readonly dollar: '$ Mn' | '$ million' | 'USD mn' | '$M';
  readonly percent: '%' | ' per cent' | ' percent' | ' pc';
  /** Put before headlines of a kind; `funding` is a deal in which money is raised. */
  readonly prefixes: Partial<Record<Move | 'funding' | 'correction' | 'edited', string>>;
  /** `cut` stops in the middle, after so many characters as feeds do. */
  readonly summary: 'full' | 'none' | 'cut';
}

export interface Outlet {
  /** First part of its addresses and of its items' guids. */
  readonly id: string;
  readonly name: string;
  /** What it says of itself on its pages. */
  readonly about: string;
  readonly format: 'rss' | 'atom' | 'rdf' | 'json_feed' | 'listing' | 'sitemap';
  /** Last part of the address that is polled. */
  readonly file: string;
  readonly kind: SourceKind;
  readonly role: 'news' | 'oracle';
  readonly authority: number;
  readonly cadence: number;
  readonly selectors?: Selectors;
  readonly voice: Voice;
  /** Ways in which real feeds go wrong. */
  readonly habits?: {
    readonly dates?: 'no zone' | 'IST';
    readonly encodesTwice?: boolean;
    readonly latin1?: boolean;
    readonly tracking?: string;
    readonly htmlSummary?: boolean;
    readonly relativeLinks?: boolean;
  };
}
