/** Who may open and send what below /operate: every route, with the role that it needs. The guard refuses the rest. */
import type { Role } from '../../../schemas/access.ts';

/** By method and address of the route. A reviewer decides on single signals and names, an operator on everything. */
export const OPERATE_ROLES: Readonly<Record<string, Role>> = {
  'GET /operate': 'reviewer',
  'GET /operate/review': 'reviewer',
  'POST /operate/review/confirm': 'reviewer',
  'POST /operate/review/correct': 'reviewer',
  'POST /operate/review/retract': 'reviewer',
  'POST /operate/review/hold': 'reviewer',
  'POST /operate/review/merge': 'reviewer',
  'POST /operate/review/split': 'reviewer',
  'GET /operate/brands': 'reviewer',
  'GET /operate/catalogue/candidates': 'reviewer',
  'POST /operate/catalogue/candidates/promote': 'reviewer',
  'POST /operate/catalogue/candidates/refuse': 'reviewer',
  'POST /operate/catalogue/candidates/accept': 'operator',
  'POST /operate/catalogue/candidates/alias': 'operator',
  'GET /operate/catalogue': 'operator',
  'POST /operate/catalogue/import': 'operator',
  'GET /operate/catalogue/export.yaml': 'operator',
  'GET /operate/catalogue/preview': 'operator',
  'POST /operate/catalogue/preview/confirm': 'operator',
  'GET /operate/catalogue/:kind/:slug': 'operator',
  'GET /operate/signals': 'operator',
  'POST /operate/signals/release': 'operator',
  'POST /operate/signals/hold': 'operator',
  'POST /operate/signals/merge': 'operator',
  'GET /operate/applications': 'operator',
  'POST /operate/applications/approve': 'operator',
  'POST /operate/applications/reject': 'operator',
  'GET /operate/accounts': 'operator',
  'POST /operate/accounts/revoke': 'operator',
  'POST /operate/accounts/plan': 'operator',
  'GET /operate/proposals': 'operator',
  'POST /operate/proposals/accept': 'operator',
  'POST /operate/proposals/reject': 'operator',
  'GET /operate/sources': 'operator',
  'POST /operate/sources/import': 'operator',
  'GET /operate/sources/roster.opml': 'operator',
  'GET /operate/sources/:id': 'operator',
  'POST /operate/sources/:id/poll': 'operator',
  'POST /operate/sources/:id/edit': 'operator',
  'POST /operate/sources/:id/pause': 'operator',
  'POST /operate/sources/:id/resume': 'operator',
  'POST /operate/sources/:id/retire': 'operator',
  'GET /operate/add-source': 'operator',
  'POST /operate/add-source/add': 'operator',
  'GET /operate/audit': 'operator',
  'GET /operate/audit.csv': 'operator',
  'GET /operate/audit.json': 'operator',
  'GET /operate/pipeline': 'operator',
  'POST /operate/pipeline/rebuild': 'operator',
  'GET /operate/parked': 'operator',
  'POST /operate/parked/retry': 'operator',
  'POST /operate/parked/retry-message': 'operator',
  'POST /operate/parked/drop': 'operator',
  'POST /operate/parked/drop-message': 'operator',
};

/** Whether a route is among those that the table is about. */
export const isOperateRoute = (url: string): boolean => url === '/operate' || url.startsWith('/operate/');

/**
 * The role that a route needs.
 * @param url the address of the route, with its parameters as they are declared
 * @throws for a route that the table lacks
 */
export function roleNeeded(method: string, url: string): Role {
  const route = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  const role = Object.hasOwn(OPERATE_ROLES, route) ? OPERATE_ROLES[route] : undefined;
  if (!role) throw new Error(`${route} is missing in web/pages/operate/roles.ts`);
  return role;
}
