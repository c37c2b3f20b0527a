// Names of time zones, by the one rule for policies and SLAs.

/**
 * Whether `Intl` can compute with a time zone: names of the tz database in any case, with their former names and links
 * (`Asia/Kolkata`, `Europe/Kyiv`, `US/Eastern`), and offsets such as `+05:30`. `Intl.supportedValuesOf` lists one name a zone
 * only, and for some of them the former one.
 */
export function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string' || name === '') return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
