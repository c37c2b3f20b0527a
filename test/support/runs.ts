// How often a property is tried: some hundred times in `npm test`, ten times as often in `npm run test:slow` (`RUNS=x10`), and
// as often as a plain number in `RUNS` says.
const [, times, number] = /^(?:x(\d+)|(\d+))$/.exec(process.env.RUNS ?? '') ?? []

/** `few`: the number without `RUNS`. `slowness` divides a number of `RUNS` for properties that are slower than a pure rule. */
export const runs = (few: number, slowness = 1) => ({
  numRuns: times ? few * Number(times) : Math.max(few, Math.floor(Number(number ?? 0) / slowness)),
})
