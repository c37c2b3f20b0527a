// Finds the country of an address in a database file. Without the file, or for an unknown address, there is no country, and
// rules about countries do not apply.
import { env } from '../../base/lib/runtime.ts'
import { warn } from '../../base/lib/log.ts'
import { once } from '../../base/lib/memory.ts'

/** ISO 3166-1 alpha-2, or null. */
export async function countryOf(ip: string): Promise<string | null> {
  if (!process.env.COUNTRIES_FILE) return null
  try {
    return (await countries())(plain(ip))
  } catch (error) {
    warn('countries_unavailable', error)
    return null
  }
}

/** Read on first use: most requests ask for no country, and the file has 8 MB. */
const countries = /* @__PURE__ */ once(async () => {
  const { openCountries } = await import('./country-reader.ts')
  return openCountries(env('COUNTRIES_FILE'))
})

/** The database does not know IPv4 addresses that arrive mapped into IPv6. */
const plain = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')
