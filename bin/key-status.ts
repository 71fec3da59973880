/** The state of a key in a word. @param now the moment that decides whether it has expired */
export function keyStatus(
  { revoked_at, expires_at }: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'active';
}
