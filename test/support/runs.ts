// How often a property is tried: a few times in `npm test`, and as often as `RUNS` says where it is set.
const RUNS = Number(process.env.RUNS ?? 0)

/** `few`: the number without `RUNS`, which is divided by `slowness` for properties that are slower than a pure rule. */
export const runs = (few: number, slowness = 1) => ({ numRuns: Math.max(few, Math.floor(RUNS / slowness)) })
