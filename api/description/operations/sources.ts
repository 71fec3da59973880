/** Sources: their health, and proposals of new ones. */
import { ProposalAnswer, ProposeBody } from '../../../schemas/proposal.ts';
import { HealthSnapshot } from '../../../schemas/resources.ts';
import { healthExample } from '../examples.ts';
import type { Operation } from '../operation.ts';

const URL = 'https://market-gazette.example/retail/feed.xml';
const proposal = (status: string) => ({ proposal: { id: 'prp_5b0c7d1e9a2f4836', url: URL, status } });

export const SOURCE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/sources/health',
    id: 'getSourceHealth',
    tag: 'Sources',
    summary: 'How the roster of sources does, and how much it misses',
    description: 'May be kept for 60 seconds.',
    access: 'anonymous',
    answers: {
      200: { description: 'The roster and the last measurement.', schema: HealthSnapshot, example: healthExample },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'post',
    path: '/api/v1/sources/propose',
    id: 'proposeSource',
    tag: 'Sources',
    summary: 'Suggest a source',
    description: 'The same address is the same proposal, however often it is made.',
    access: 'anonymous',
    body: { schema: ProposeBody, example: { url: URL, outlet: 'Market Gazette', reason: 'First with mall leases' } },
    answers: {
      200: {
        description: 'The roster has the source already, or the proposal was decided.',
        schema: ProposalAnswer,
        example: proposal('listed'),
      },
      202: {
        description: 'It waits to be looked at.',
        schema: ProposalAnswer,
        example: proposal('pending'),
        headers: { Location: 'The page that lists the sources' },
      },
    },
    errors: ['invalid_request'],
  },
];
