/** The environment of PostgreSQL's programs: this one's, without the variables that would send them elsewhere. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(PG|LC_|LANG|TZ$|DATABASE_URL$|.*(_KEY|SECRET)$)/.test(name),
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}
