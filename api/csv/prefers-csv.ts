/** Whether a caller asked for CSV. */

/**
 * True when `Accept` names `text/csv` and weighs nothing of JSON higher. Wildcards ask for nothing in particular, so
 * they get JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes('text/csv')) return false;
  return weight(accept, 'text/csv') > 0 && weight(accept, 'text/csv') >= weight(accept, 'application/json');
}

function weight(accept: string, type: string): number {
  for (const one of accept.split(',')) {
    const [name, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality ? Number(quality.slice(2)) || 0 : 1;
  }
  return 0;
}
