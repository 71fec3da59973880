/** Random numbers from 0 to below 1 from a seed; `SEED` in the environment reproduces a failure. */
export function seededRandom(): { seed: number; random: () => number } {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  let state = seed + 1;
  return {
    seed,
    random: () => {
      state = (state * 48_271 + 11) % 2_147_483_647;
      return state / 2_147_483_647;
    },
  };
}
