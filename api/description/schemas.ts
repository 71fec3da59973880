/** The schemas that the description names. */
import { AskAnswer, Citation, Quote, ShareAnswer, SharedTurn, Turn } from '../../schemas/ask.ts';
import { Brand, BrandAnswer, MoveWindow, Watch, WatchedBrand, WatchMove } from '../../schemas/brand.ts';
import { Brief, BriefItem } from '../../schemas/brief.ts';
import { Follow, FollowAnswer, FollowList, InboxItem, InboxPage, Unread } from '../../schemas/follow.ts';
import {
  ApplicationDocument,
  ApplicationList,
  IssuedKey,
  KeyDocument,
  KeyList,
  ReviewedApplication,
} from '../../schemas/key.ts';
import { ProposalAnswer } from '../../schemas/proposal.ts';
import { Investigation, QueuedResearch, ResearchResult } from '../../schemas/research.ts';
import {
  BrandRef,
  ErrorBody,
  HealthSnapshot,
  SignalDetail,
  SignalItem,
  SignalPage,
  SignalReport,
  SourceRef,
  ThemeRef,
} from '../../schemas/resources.ts';
import { Move, MoveCounts } from '../../schemas/scalar.ts';
import { JsonFeed } from '../feeds/json-feed.ts';
import { RateLimited } from './errors.ts';
import { ReviewAnswer } from './operations/applications.ts';
import { ApplicationAnswer } from './operations/keys.ts';
import { SignalAnswer } from './operations/moves.ts';

/** By the name that the description gives them. */
export const NAMED_SCHEMAS = {
  Move,
  MoveCounts,
  BrandRef,
  ThemeRef,
  Source: SourceRef,
  SignalItem,
  SignalReport,
  SignalDetail,
  SignalPage,
  SignalAnswer,
  MoveWindow,
  Brand,
  BrandAnswer,
  WatchMove,
  WatchedBrand,
  Watch,
  BriefItem,
  Brief,
  Quote,
  Citation,
  AskAnswer,
  Turn,
  SharedTurn,
  ShareAnswer,
  ResearchResult,
  QueuedResearch,
  Investigation,
  Follow,
  FollowAnswer,
  FollowList,
  InboxItem,
  InboxPage,
  Unread,
  SourceHealthSnapshot: HealthSnapshot,
  ProposalAnswer,
  Key: KeyDocument,
  KeyList,
  IssuedKey,
  Application: ApplicationDocument,
  ApplicationAnswer,
  ReviewedApplication,
  ApplicationList,
  ReviewAnswer,
  JsonFeed,
  Error: ErrorBody,
  RateLimited,
};
