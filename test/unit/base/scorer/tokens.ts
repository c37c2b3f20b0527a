// The tokens of an action, written out.
const THRESHOLDS = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

export const tokensOf = (context: string, payload: unknown): string[] => [
  context,
  ...restsOf(payload).map((rest) => `${context} ${rest}`),
]

function restsOf(value: unknown): string[] {
  if (typeof value === 'string') return wordsOf(value).map((word) => `:${word}`)
  if (typeof value === 'number') return THRESHOLDS.filter((from) => value >= from).map((from) => `>=${from}`)
  if (value === null || typeof value !== 'object') return [`=${String(value)}`]
  if (Array.isArray(value)) {
    return [
      `#${Math.min(value.length, 8)}`,
      ...value.flatMap((element) => restsOf(element).map((rest) => `/[]${rest}`)),
    ]
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return restsOf(member).map((rest) => `${path}${rest}`)
  })
}

function wordsOf(text: string): string[] {
  const runs =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+|\p{Nd}+/gu) ?? []
  const words = runs.slice(0, 64).map((run) => (/^\p{Nd}/u.test(run) ? '<n>' : run))
  return words.flatMap((word, at) => (at === 0 ? [word] : [`${words[at - 1]} ${word}`, word]))
}
