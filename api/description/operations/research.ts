/** Research briefings. */
import {
  Investigation,
  InvestigationId,
  QueuedResearch,
  ResearchBody,
  ResearchResult,
} from '../../../schemas/research.ts';
import type { Operation } from '../operation.ts';
import { citationExample } from './ask.ts';

const ID = 'inv_6c0d9e1f2a3b4857';
const SITE = 'https://clarity.example';
const body = { schema: ResearchBody, example: { topic: 'Quick commerce in Pune', preset: 'standard' } };

export const RESEARCH_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/research',
    id: 'research',
    tag: 'Answers',
    summary: 'Compose a briefing on a topic',
    description:
      'Answers when the report is written, which takes seconds. The report is Markdown: summary, timeline, by brand, figures, what to watch, sources; every statement links to its signals. 5 briefings in 5 minutes.',
    access: 'account',
    body,
    answers: {
      200: {
        description: 'The briefing is there.',
        schema: ResearchResult,
        example: { id: ID, status: 'completed', report_url: `${SITE}/research/${ID}`, citation_count: 14, cost_usd: 0 },
      },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'post',
    path: '/api/v2/research',
    id: 'researchQueued',
    tag: 'Answers',
    summary: 'Order a briefing on a topic',
    description: 'The form planned for v2: it answers at once. Ask `status_url` until `status` is no longer `queued`.',
    access: 'account',
    body,
    answers: {
      202: {
        description: 'It is being composed.',
        headers: { Location: 'The `status_url`' },
        schema: QueuedResearch,
        example: { id: ID, status: 'queued', status_url: `${SITE}/api/v1/research/${ID}` },
      },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'get',
    path: '/api/v1/research/{id}',
    id: 'getResearch',
    tag: 'Answers',
    summary: 'A briefing and how it stands',
    description: 'Those of other accounts are 404.',
    access: 'account',
    pathParameters: { id: { description: 'Id of a briefing of the account', example: ID, schema: InvestigationId } },
    answers: {
      200: {
        description: 'The briefing. `status` is `queued`, `completed` or `failed`.',
        schema: Investigation,
        example: {
          id: ID,
          status: 'completed',
          topic: 'Quick commerce in Pune',
          preset: 'standard',
          created_at: '2026-11-21T06:30:00Z',
          completed_at: '2026-11-21T06:30:01Z',
          report_url: `${SITE}/research/${ID}`,
          report_markdown: '# Quick commerce in Pune\n',
          citations: [citationExample],
          citation_count: 1,
          cost_usd: 0,
          error: null,
        },
      },
    },
    errors: ['invalid_request', 'not_found'],
  },
];
